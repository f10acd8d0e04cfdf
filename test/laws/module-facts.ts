// What the laws need to know about one source file, read from its syntax tree. Judges nothing.

import { parseSync } from 'rolldown/utils';

export interface ModuleFacts {
  /** What it imports in any way, also types and `import()`, as written; `undefined` where that is computed. */
  readonly imports: readonly (string | undefined)[];
  readonly usesProcess: boolean;
  readonly hasDefaultExport: boolean;
  /** Nothing in it but imports and exports of what others declare. */
  readonly isBarrel: boolean;
  /** The names that it exports, types too. */
  readonly exports: readonly string[];
  /** How many parameters each of its functions has. */
  readonly parameters: readonly number[];
}

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** Throws where the source is not TypeScript. */
export function moduleFacts(path: string, source: string): ModuleFacts {
  const { program, errors } = parseSync(path, source);
  const [error] = errors;
  if (error !== undefined) throw new SyntaxError(`${path}: ${error.message}`);
  const nodes = [...walk(program)];
  const body = program.body as unknown as readonly Node[];
  return {
    imports: nodes.filter(isImport).map(specifierOf),
    usesProcess: nodes.some(isProcess),
    hasDefaultExport: nodes.some(isDefaultExport),
    isBarrel: body.some(isReexport) && body.every((node) => isReexport(node) || isNamed(node)),
    exports: [...new Set(body.flatMap(exportedNames))],
    parameters: nodes.filter(isFunction).map(({ params }) => (params as readonly unknown[]).length),
  };
}

/** Every node but the names of properties, which name nothing outside. */
function* walk(value: unknown): Generator<Node> {
  if (Array.isArray(value)) for (const item of value) yield* walk(item);
  if (!isNode(value)) return;
  yield value;
  const hidden = value['computed'] === true ? undefined : nameKeys[value.type];
  for (const [key, child] of Object.entries(value)) if (key !== hidden) yield* walk(child);
}

const nameKeys: Readonly<Record<string, string>> = {
  MemberExpression: 'property',
  Property: 'key',
  PropertyDefinition: 'key',
  MethodDefinition: 'key',
  TSPropertySignature: 'key',
  TSMethodSignature: 'key',
};

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value;
}

const importTypes = new Set([
  'ImportDeclaration',
  'ImportExpression',
  'ExportAllDeclaration',
  'TSImportType',
  'TSExternalModuleReference',
]);

function isImport(node: Node): boolean {
  return importTypes.has(node.type) || (node.type === 'ExportNamedDeclaration' && !!node['source']);
}

function specifierOf(node: Node): string | undefined {
  const source = node['source'] ?? node['expression'];
  const value = isNode(source) && source.type === 'Literal' ? source['value'] : undefined;
  return typeof value === 'string' ? value : undefined;
}

function isProcess(node: Node): boolean {
  if (node.type === 'Identifier') return node['name'] === 'process';
  const { object, property } = node;
  if (!isNode(object) || object['name'] !== 'globalThis' || !isNode(property)) return false;
  return (property['name'] ?? property['value']) === 'process';
}

function isDefaultExport(node: Node): boolean {
  if (node.type === 'ExportDefaultDeclaration') return true;
  const { exported } = node;
  return node.type === 'ExportSpecifier' && isNode(exported) && exported['name'] === 'default';
}

function isReexport(node: Node): boolean {
  if (node.type === 'ExportAllDeclaration') return true;
  return node.type === 'ExportNamedDeclaration' && !node['declaration'];
}

function isNamed(node: Node): boolean {
  return node.type === 'ImportDeclaration';
}

const functionTypes = ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'];
const isFunction = ({ type }: Node): boolean => functionTypes.includes(type);

function exportedNames(node: Node): readonly string[] {
  if (node.type !== 'ExportNamedDeclaration' || !isNode(node['declaration'])) return [];
  const { declaration } = node;
  const declared = (declaration['declarations'] ?? [declaration]) as readonly Node[];
  return declared.flatMap(({ id }) => boundNames(id));
}

/** The names that a declaration binds: one, or those of a pattern. */
function boundNames(id: unknown): readonly string[] {
  if (!isNode(id)) return [];
  if (id.type === 'Identifier') return [String(id['name'])];
  return [...walk(id)].flatMap((each) =>
    each.type === 'Property' ? boundNames(each['value']) : [],
  );
}
