import { existsSync, readFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';

const root = process.cwd();
/** Archives of other sites, whose pages do not exist. */
const ARCHIVES = 'test/data/archives/';
const TEXT = /\.(ts|mjs|cjs|md|sh)$|^\.env\.example$/;

function trackedFiles(): string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root });
  return listed
    .toString()
    .split('\n')
    .filter((file) => TEXT.test(file) && !file.startsWith(ARCHIVES) && existsSync(join(root, file)));
}

/** Pages that a comment or a text references from the root of the repository: `docs/…`. */
function namedPages(text: string): string[] {
  return [...text.matchAll(/(?<![\w./-])docs\/[\w/-]+\.(?:md|json|html)/g)].map(([page]) => page);
}

/** Targets of Markdown links within the repository, without their anchors. */
function linkedFiles(text: string): string[] {
  return [...text.matchAll(/\]\((?![a-z]+:|#)([^)\s#]+)(?:#[^)]*)?\)/g)].map(([, target]) => target!);
}

// A broken link makes readers doubt the rest of the page.
test('every page that code and documents link to exists', () => {
  const files = trackedFiles();
  expect(files.length).toBeGreaterThan(100);
  const dead: string[] = [];
  for (const file of files) {
    const text = readFileSync(join(root, file), 'utf8');
    const linked = file.endsWith('.md') ? linkedFiles(text).map((target) => join(dirname(file), target)) : [];
    for (const page of new Set([...namedPages(text), ...linked])) {
      if (!existsSync(join(root, page))) dead.push(`${file}: ${page}`);
    }
  }
  expect(dead).toEqual([]);
});
