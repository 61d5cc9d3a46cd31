import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ENV_SCHEMA } from '../../src/config/env.schema.js';
import { indexAll, useApp } from '../support/app.js';

const ROOT = join(import.meta.dirname, '../..');
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');

const page = (name: string): string => readFileSync(join(ROOT, name), 'utf8');

/** Returns the blocks marked as parts of the tour, in order. A marked status is the expected refusal of the last request. */
const tourOf = (text: string) =>
  [...text.matchAll(/<!-- tour(?:: (\d+))? -->\n```sh\n(.*?)```/gs)].map(([, status, commands]) => ({
    status: status === undefined ? undefined : Number(status),
    commands: commands!,
  }));
const TOUR = tourOf(README);

/** Fails where a reader would see an error, and retries requests that a busy machine has refused. */
const STRICT_CURL = `curl() {
  local answer
  for _ in {1..20}; do
    if answer=$(command curl --silent --show-error --fail-with-body "$@"); then break; fi
    [[ $answer == *'"overloaded"'* ]] || { printf '%s' "$answer"; return 1; }
    sleep 0.5
  done
  printf '%s' "$answer"
}`;

describe('README.md', () => {
  const app = useApp({ seeded: 'tiny', search: true });

  it('has a tour in which every command works', async () => {
    expect(TOUR.length).toBeGreaterThan(1);
    await indexAll(app);
    const ours = TOUR.filter(({ status }) => status === undefined).map(({ commands }) => commands);
    const { code, output } = await run(['set -euo pipefail', STRICT_CURL, ...ours].join('\n'));
    expect(output).not.toMatch(/"code":/);
    expect(code).toBe(0);
    expect(output).toMatch(/"title":"Notes on the Engine"/);
  });

  it('has an API guide in which every command works', async () => {
    const commands = tourOf(page('docs/api-guide.md')).flatMap((block) => (block.status ? [] : [block.commands]));
    expect(commands.length).toBeGreaterThan(5);
    const { code, output } = await run(['set -euo pipefail', STRICT_CURL, ...commands].join('\n'));
    expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' });
  });

  it('has a guide for moderators in which every command works', async () => {
    const commands = tourOf(page('docs/moderation.md')).map((block) => block.commands);
    expect(commands.length).toBe(3);
    const { code, output } = await run(['set -euo pipefail', STRICT_CURL, ...commands].join('\n'));
    expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' });
    expect(output).toContain('"kind":"restore"');
  });

  it.each(['docs/api-guide.md', 'docs/moderation.md'])('has only commands in %s that this test runs', (name) => {
    const guide = page(name);
    expect(guide.match(/```sh\n/g)).toHaveLength(tourOf(guide).length);
  });

  it('shows a real refusal', async () => {
    const guide = page('docs/api-guide.md');
    const shown = JSON.parse(/```json\n(.*?)```/s.exec(guide)![1]!);
    const refusals = [...TOUR, ...tourOf(guide)].filter(({ status }) => status !== undefined);
    expect(refusals).toHaveLength(2);
    for (const { commands } of refusals) {
      const { output } = await run(`API=${app.url}/v1\n${commands}`);
      expect(JSON.parse(output)).toEqual({ ...shown, requestId: expect.any(String) });
    }
  });

  it('has a page that names every command of the CLI', () => {
    const commands = readdirSync(join(ROOT, 'src/cli')).flatMap((file) => /^(.+)\.command\.ts$/.exec(file)?.[1] ?? []);
    const rows = [...page('docs/cli.md').matchAll(/^\| `([a-z]+)` \|/gm)].map(([, name]) => name);
    expect(rows.sort()).toEqual(commands.sort());
  });

  it('names scripts, variables and files that exist', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const used = [...README.matchAll(/npm run ([a-z:]+)/g)].map(([, name]) => name!);
    expect(used.filter((name) => !(name in scripts))).toEqual([]);
    const variables = [...README.matchAll(/`((?:HTTP|MONGODB|AUTH|NODE)_[A-Z_]+)/g)].map(([, name]) => name!);
    expect(variables.filter((name) => !(name in ENV_SCHEMA.shape))).toEqual([]);
    for (const name of ['README.md', 'ARCHITECTURE.md', 'CHANGELOG.md']) {
      const text = page(name);
      const links = [...text.matchAll(/\]\((?![a-z]+:)([^)#]+)/g)].map(([, path]) => path!);
      expect([name, links.filter((path) => !existsSync(join(ROOT, path)))]).toEqual([name, []]);
    }
  });

  it('`npm start` is the server itself, so that a signal to npm reaches it', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    expect(scripts.start).toMatch(/^(\w+=\S+ )?exec node /);
  });

  async function run(script: string): Promise<{ code: number | null; output: string }> {
    const child = spawn('bash', ['-c', script.replaceAll('http://localhost:3000', app.url)]);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    return { code, output: output.replaceAll(/^\s*% Total[\s\S]*?\r?\n(?=\{)/g, '') };
  }
});
