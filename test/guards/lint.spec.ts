import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** Lines that once passed a review; the first three took seconds for a text within every limit. */
const LINES: [code: string, found: string | null][] = [
  [String.raw`export const parts = ''.split(/\s*;\s*/);`, 'regexp(no-super-linear-move)'],
  [
    String.raw`export const isRule = /^[ \t]*\|?[ \t]*:?-{2,}[-:| \t]*$/.test('');`,
    'regexp(no-super-linear-backtracking)',
  ],
  [String.raw`export const cells = ''.replace(/[ \t]*\|[ \t]*/g, ' ');`, 'regexp(no-super-linear-move)'],
  [String.raw`export const isLinear = /^[ \t]*(?:\|[ \t]*)?:?--[-:| \t]*$/.test('');`, null],
  [`async function save(): Promise<void> {}`, null],
  [`export const start = (): void => { save(); };`, 'typescript(no-floating-promises)'],
  [`[1].forEach(async () => save());`, 'typescript(no-misused-promises)'],
  [
    `export const of = (kind: 'a' | 'b'): number => { switch (kind) { case 'a': return 1; } return 2; };`,
    'typescript(switch-exhaustiveness-check)',
  ],
  [`export const count: number = 'one';`, 'typescript(TS2322)'],
];

describe('npm run check', () => {
  it('finds an unawaited promise, a missing case, a slow regular expression and a wrong type', () => {
    const found = lint(LINES.map(([code]) => code).join('\n'));
    const expected = LINES.flatMap(([, rule], index) => (rule === null ? [] : [`${index + 1} ${rule}`]));
    expect(found).toEqual(expected);
  });
});

function lint(code: string): string[] {
  const directory = mkdtempSync(join(tmpdir(), 'opencanvas-lint-'));
  try {
    const paths = {
      extends: join(ROOT, 'tsconfig.json'),
      include: ['*.ts'],
      compilerOptions: { rootDir: '.', types: [] },
    };
    writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(paths));
    writeFileSync(join(directory, 'lines.ts'), code);
    const { diagnostics } = JSON.parse(
      run(['--format=json', `--config=${join(ROOT, '.oxlintrc.json')}`, directory]),
    ) as {
      diagnostics: { code: string; labels: { span: { line: number } }[] }[];
    };
    const found = diagnostics.map((one) => `${one.labels[0]?.span.line} ${one.code}`);
    return [...new Set(found)].sort();
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Returns the output. oxlint exits with 1 after a finding. */
function run(args: string[]): string {
  try {
    return execFileSync(join(ROOT, 'node_modules/.bin/oxlint'), args, { cwd: ROOT, encoding: 'utf8' });
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}
