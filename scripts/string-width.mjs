// What stands in for the package `string-width`, of which cli-table3 has an old version: the measure of all other texts.
// cli-table3 calls the module itself, ora its default.

import measure from 'fast-string-width';

export { measure as default, measure as 'module.exports' };
