// `npm run check`: words that a reader of another project would not expect, in comments, test names, documents and the API.
// Each area has a budget, which only goes down. `node scripts/words.mjs --list` prints every line.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './lib/prepare.mjs';

const BUDGETS = { src: 0, test: 0, docs: 0, 'docs/openapi.json': 0 };

/** Say instead: publish, receive, anyone, unavailable, deleted, continues, expired, account, response. */
const WORDS =
  /\b(?:meanwhile|takes? over|told|tells?|heard|hears?|whoever|nobody|somebody|so many|so long|by itself|lives|is gone|are gone|goes on|go on|is over|comes between|in turn|what is (?:left|hidden|deleted|kept)|good no longer|begun|picture|pictures|answered|answers?)\b/gi;
/** In comments and test names, too: a subject and a verb instead of these. */
const COMMENT_WORDS =
  /\b(?:gone|whatever|whom|so (?:much|few|little)|anybody|everybody|those who|one who|in turns|(?:stands?|stood) still|of no use|for good|any more|come back|anew|what (?:is|are|was|were))\b|(?:^[\s*/]*|[.:;] )who\b/gi;
const COMMENT = /^\s*(?:\/\/|\/\*\*?|\*)(.*)|\s\/\/ (.*)$/;
const TEST_NAME = /\b(?:it|test|describe)(?:\.each)?[^'"`]*\(\s*(['"`])(.*)\1/;

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) =>
    /^(?:src|web|test|seeds|benchmarks|scripts|sdk)\/.*\.(?:tsx?|mjs)$|^(?:docs\/|(?:sdk\/)?[A-Z]+\.md$)/.test(file),
  );

const found = { src: [], test: [], docs: [], 'docs/openapi.json': [] };
for (const file of files) {
  // The document contains the texts of this file.
  if (file === 'sdk/src/schema.ts') continue;
  if (file === 'scripts/words.mjs' || file.startsWith('docs/images/')) continue;
  const area = areaOf(file);
  readFileSync(join(ROOT, file), 'utf8')
    .split('\n')
    .forEach((line, at) => {
      const text = textOf(area, line);
      const words = [...text.matchAll(WORDS), ...(area.startsWith('docs') ? [] : text.matchAll(COMMENT_WORDS))];
      for (const [word] of words) found[area].push(`${file}:${at + 1}: ${word.trim()}`);
    });
}

let isOver = false;
for (const [area, lines] of Object.entries(found)) {
  if (process.argv.includes('--list')) console.log(lines.join('\n'));
  const budget = BUDGETS[area];
  if (lines.length > budget) {
    isOver = true;
    console.error(`${area}: ${lines.length} words of the list in scripts/words.mjs, ${budget} are allowed.`);
  }
}
if (isOver) console.error('`node scripts/words.mjs --list` prints them.');
process.exitCode = isOver ? 1 : 0;

function areaOf(file) {
  if (file === 'docs/openapi.json') return file;
  if (/\.md$/.test(file)) return 'docs';
  return file.startsWith('test/') || file.endsWith('.spec.ts') ? 'test' : 'src';
}

function textOf(area, line) {
  // Names of the program are not prose.
  if (area === 'docs') return line.replaceAll(/`[^`]*`/g, '');
  if (area === 'docs/openapi.json') return /"(?:summary|description)": "(.*)"/.exec(line)?.[1] ?? '';
  const comment = COMMENT.exec(line);
  if (comment !== null) return (comment[1] ?? comment[2]).replaceAll(/`[^`]*`|[\w/.-]+\.(?:md|mjs|ts)\b/g, '');
  return area === 'test' ? (TEST_NAME.exec(line)?.[2] ?? '') : '';
}
