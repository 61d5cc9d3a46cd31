import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** The first three took seconds for a text that was within every limit. */
const LINES = [
  String.raw`export const parts = ''.split(/\s*;\s*/);`,
  String.raw`export const isRule = /^[ \t]*\|?[ \t]*:?-{2,}[-:| \t]*$/.test('');`,
  String.raw`export const cells = ''.replace(/[ \t]*\|[ \t]*/g, ' ');`,
  String.raw`export const isLinear = /^[ \t]*(?:\|[ \t]*)?:?--[-:| \t]*$/.test('');`,
];

describe('the linter', () => {
  it('refuses a regular expression that takes more than linear time, by backtracking or by trying every beginning', () => {
    const found = lint(LINES.join('\n')).map(({ line, ruleId }) => `${line} ${ruleId}`);
    expect([...new Set(found)]).toEqual([
      '1 regexp/no-super-linear-move',
      '2 regexp/no-super-linear-backtracking',
      '3 regexp/no-super-linear-move',
    ]);
  }, 120_000);
});

function lint(code: string): { line: number; ruleId: string | null }[] {
  const file = join(ROOT, 'src/posts/body/markdown-text.ts');
  const args = ['node_modules/eslint/bin/eslint.js', '--stdin', '--stdin-filename', file, '--format', 'json'];
  const [result] = JSON.parse(run(args, code)) as [{ messages: { line: number; ruleId: string | null }[] }];
  return result.messages;
}

/** What it prints; ESLint ends with 1 when it found something. */
function run(args: string[], input: string): string {
  try {
    return execFileSync(process.execPath, args, { cwd: ROOT, input, encoding: 'utf8' });
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}
