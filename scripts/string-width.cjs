// What stands in for the package `string-width`, of which cli-table3 has an old version: the measure of all other texts.

module.exports = require('fast-string-width').default;
