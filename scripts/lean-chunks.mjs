// A build plugin that spares each start two things that the bundler writes into the built files: modules of Node's that
// are loaded although nothing uses them, and a getter for each export. Together they take 2 of 50 ms of a `get`
// (npm run bench -- start).

/**
 * Loaded when a name of theirs is first used. CPU of each on Node 20, in ms: crypto 3, fs/promises 2, child_process 3,
 * dns 1, http 3, os 0.5, tls 3, tty 3 (with net), v8 2, zlib 1.
 */
const lazy = new Set(
  ['child_process', 'crypto', 'dns', 'fs/promises', 'http', 'os', 'tls', 'tty', 'v8', 'zlib'].map(
    (name) => `node:${name}`,
  ),
);

export const leanChunks = {
  name: 'lean-chunks',
  renderChunk(code) {
    const nodes = [...nodesOf(this.parse(code))];
    const edits = [...lazyModules(nodes), ...plainExports(nodes)];
    let lean = code;
    for (const { start, end, text } of edits.toSorted((a, b) => b.start - a.start))
      lean = lean.slice(0, start) + text + lean.slice(end);
    return { code: lean, map: null };
  },
};

/** The nodes of a syntax tree, each with the one that it is a part of. */
function* nodesOf(node, parent = {}) {
  yield { node, parent };
  for (const part of Object.values(node).flat())
    if (typeof part?.type === 'string') yield* nodesOf(part, node);
}

/**
 * In the place of `require("node:…")` an object with a getter for each name that the file takes from it. Left as it is
 * where the file does anything else with the module, or with another variable of its name.
 */
function* lazyModules(nodes) {
  const variables = nodes.filter(isVariable);
  for (const { node } of nodes) {
    if (node.type !== 'VariableDeclarator' || node.id.type !== 'Identifier') continue;
    const { callee, arguments: [{ value: name } = {}] = [] } = node.init ?? {};
    if (callee?.name !== 'require' || !lazy.has(name)) continue;
    const users = variables
      .filter((each) => each.node.name === node.id.name && each.parent !== node)
      .map(({ parent }) => parent);
    if (!users.every(({ type, computed }) => type === 'MemberExpression' && !computed)) continue;
    const getters = [...new Set(users.map(({ property }) => property.name))].map(
      (each) => `get ${each}() { return require("${name}").${each}; }`,
    );
    yield { ...node.init, text: `{ ${getters.join(', ')} }` };
  }
}

/** Whether a node stands for a variable, and not for the property of an object. */
function isVariable({ node, parent: { property, key, computed, shorthand } }) {
  const isName = !computed && (property === node || (key === node && !shorthand));
  return node.type === 'Identifier' && !isName;
}

/** `exports.x = y` in the place of a getter that returns `y`, where nothing gives `y` another value later. */
function* plainExports(nodes) {
  const changed = new Set();
  for (const { node } of nodes) {
    const { type, left, argument } = node;
    const target = type === 'UpdateExpression' ? argument : isAssignment(type) ? left : undefined;
    if (target !== undefined) for (const part of nodesOf(target)) changed.add(part.node.name);
  }
  for (const { node } of nodes) {
    const { callee, arguments: [object, name, descriptor] = [] } = node;
    if (callee?.object?.name !== 'Object' || object?.name !== 'exports') continue;
    const getter = descriptor.properties.find(({ key }) => key.name === 'get');
    const { argument: value } = getter?.value.body.body[0] ?? {};
    if (value?.type === 'Identifier' && !changed.has(value.name))
      yield { ...node, text: `exports.${name.value} = ${value.name}` };
  }
}

const isAssignment = (type) =>
  ['AssignmentExpression', 'ForInStatement', 'ForOfStatement'].includes(type);
