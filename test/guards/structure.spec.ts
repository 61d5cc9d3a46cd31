import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '../..');
/** Lower a number to see where it is reached. Raise one only with a reason in the commit. */
const LIMITS = {
  linesPerOperation: 332,
  constructorParameters: 9,
  /** functions of these names in specs that test/support/verbs.ts has */
  localHelpers: 130,
};
const VERBS = /(?:const|function) (?:send|ask|read|publish|walk)\b\s*(?:=|\()/g;

const filesIn = (folder: string, ending: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => `${folder}/${name}`);
const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

describe('the structure that makes a change cheap', () => {
  const sources = filesIn('src', '.ts').filter((name) => !name.endsWith('.spec.ts'));

  it('needs few lines for an operation', () => {
    const lines = sources.reduce((sum, file) => sum + textOf(file).split('\n').length - 1, 0);
    const { paths } = JSON.parse(textOf('docs/openapi.json')) as { paths: Record<string, object> };
    const operations = Object.values(paths).flatMap((item) => Object.values(item)).length;
    expect(Math.floor(lines / operations)).toBeLessThanOrEqual(LIMITS.linesPerOperation);
  });

  it('has short constructors', () => {
    const long = sources.flatMap((file) => parametersOf(file).map((count) => [file, count] as const));
    expect(long.filter(([, count]) => count > LIMITS.constructorParameters)).toEqual([]);
    expect(Math.max(...long.map(([, count]) => count))).toBe(LIMITS.constructorParameters);
  });

  it('knows sessions of the driver only in platform: features take a Transaction', () => {
    const users = sources.filter((file) => /\bClientSession\b/.test(textOf(file)));
    expect(users.filter((file) => !file.startsWith('src/platform/'))).toEqual([]);
  });

  it('has one helper for one thing in its specs', () => {
    const local = [...filesIn('test', '.spec.ts'), ...filesIn('src', '.spec.ts')].flatMap((file) => [
      ...textOf(file).matchAll(VERBS),
    ]);
    expect(local.length).toBeLessThanOrEqual(LIMITS.localHelpers);
  });

  it('names a class of a service file after the file', () => {
    const others = filesIn('src', '.service.ts').filter((file) => !/export class \w+Service\b/.test(textOf(file)));
    expect(others).toEqual([]);
  });
});

function parametersOf(file: string): number[] {
  if (!textOf(file).includes('constructor(')) return [];
  const counts: number[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isConstructorDeclaration(node)) counts.push(node.parameters.length);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, textOf(file), ts.ScriptTarget.Latest));
  return counts;
}
