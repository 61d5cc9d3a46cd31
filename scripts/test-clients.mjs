// Generates clients from docs/openapi.json, compiles them strictly and uses them against a server with demo data. Needs Go, Python with
// venv, a JDK and Maven. Everything else is installed into a directory that is deleted at the end.
import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepare, ROOT } from './lib/prepare.mjs';

const VERSIONS = {
  npm: ['openapi-typescript@7.13.0', 'openapi-fetch@0.17.0', 'typescript@5.9.3', '@types/node@20'],
  generator: 'org.openapitools:openapi-generator-cli:7.17.0',
  go: ['github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2', 'github.com/oapi-codegen/runtime@v1.9.0'],
  python: [
    'mypy==1.18.2',
    'types-python-dateutil',
    'urllib3>=2.1',
    'python-dateutil>=2.8.2',
    'pydantic>=2',
    'typing-extensions>=4.7.1',
  ],
};
/** One gray pixel. */
const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==';
const DOCUMENT = join(ROOT, 'docs/openapi.json');
const SOURCES = join(ROOT, 'scripts/clients');

const work = mkdtempSync(join(tmpdir(), 'opencanvas-clients-'));
let server;
try {
  await prepare();
  checkPatterns();
  const clients = [typescript(), python(), go()];
  const url = await startServer();
  for (const { command, cwd } of clients) run(command, cwd, { BASE_URL: url, PICTURE });
} finally {
  if (server !== undefined) {
    const ended = new Promise((resolve) => server.once('exit', resolve));
    server.kill('SIGTERM');
    await ended;
  }
  // Go makes its modules read-only.
  run(['chmod', '-R', 'u+w', work]);
  rmSync(work, { recursive: true, force: true });
}

/** Python, Java and RE2 (Go) compile every pattern. */
function checkPatterns() {
  const patterns = new Set();
  JSON.parse(readFileSync(DOCUMENT, 'utf8'), (key, value) => {
    if (key === 'pattern' && typeof value === 'string') patterns.add(value);
    return value;
  });
  const file = join(work, 'patterns.txt');
  writeFileSync(file, `${[...patterns].join('\n')}\n`);
  run(['python3', '-c', 'import re, sys\nfor line in open(sys.argv[1]).read().splitlines(): re.compile(line)', file]);
  run(['java', join(SOURCES, 'Patterns.java'), file]);
  run(['go', 'run', join(SOURCES, 'patterns.go'), file]);
  console.log(`${patterns.size} patterns: ok`);
}

function typescript() {
  const cwd = directory('typescript');
  writeFileSync(join(cwd, 'package.json'), '{ "type": "module", "private": true }');
  run(['npm', 'install', '--silent', '--no-audit', '--no-fund', ...VERSIONS.npm], cwd);
  run(['npx', 'openapi-typescript', DOCUMENT, '-o', 'api.d.ts'], cwd);
  copyFileSync(join(SOURCES, 'client.mts'), join(cwd, 'client.mts'));
  const options =
    '--strict --noUncheckedIndexedAccess --exactOptionalPropertyTypes --module nodenext --target es2023 --types node';
  run(['npx', 'tsc', ...options.split(' '), 'client.mts'], cwd);
  return { command: ['node', 'client.mjs'], cwd };
}

function python() {
  const cwd = directory('python');
  const jars = directory('jars');
  run(['mvn', '-q', '-B', 'dependency:copy', `-Dartifact=${VERSIONS.generator}`, `-DoutputDirectory=${jars}`]);
  const [, name, version] = VERSIONS.generator.split(':');
  const options = ['-i', DOCUMENT, '-o', 'made', '--additional-properties=packageName=opencanvas_client'];
  quietly(['java', '-jar', join(jars, `${name}-${version}.jar`), 'generate', '-g', 'python', ...options], cwd);
  run(['python3', '-m', 'venv', 'venv'], cwd);
  run(['venv/bin/pip', 'install', '--quiet', '--disable-pip-version-check', ...VERSIONS.python], cwd);
  cpSync(join(cwd, 'made/opencanvas_client'), join(cwd, 'opencanvas_client'), { recursive: true });
  copyFileSync(join(SOURCES, 'client.py'), join(cwd, 'client.py'));
  run(['venv/bin/python', '-m', 'compileall', '-q', '.'], cwd);
  run(['venv/bin/mypy', '--no-error-summary', '--follow-imports=silent', 'client.py'], cwd);
  return { command: ['venv/bin/python', 'client.py'], cwd };
}

function go() {
  const cwd = directory('go');
  const bin = directory('bin');
  const [generator, runtime] = VERSIONS.go;
  run(['go', 'install', generator], cwd, { GOBIN: bin });
  writeFileSync(join(cwd, 'go.mod'), 'module clients\n\ngo 1.22\n');
  mkdirSync(join(cwd, 'api'));
  run([join(bin, 'oapi-codegen'), '-generate', 'types,client', '-package', 'api', '-o', 'api/api.go', DOCUMENT], cwd);
  copyFileSync(join(SOURCES, 'client.go'), join(cwd, 'main.go'));
  run(['go', 'get', runtime], cwd);
  run(['go', 'mod', 'tidy'], cwd);
  run(['go', 'vet', './...'], cwd);
  run(['go', 'build', '-o', 'client', '.'], cwd);
  return { command: ['./client'], cwd };
}

/** Starts the built server with its own database. */
async function startServer() {
  // Uses a port below those that the system assigns to connections.
  const port = 20_000 + (process.pid % 10_000);
  const env = { ...process.env, DATA_DIR: directory('data'), HTTP_PORT: String(port), HTTP_WORKERS: '1' };
  server = spawn(process.execPath, [join(ROOT, 'dist/bundle/cli.js'), 'quickstart'], {
    env,
    cwd: work,
    stdio: 'inherit',
  });
  const url = `http://127.0.0.1:${port}`;
  for (const deadline = Date.now() + 300_000; ; await new Promise((resolve) => setTimeout(resolve, 500))) {
    if (server.exitCode !== null) throw new Error('The server has ended.');
    if (Date.now() > deadline) throw new Error('The server does not answer.');
    const response = await fetch(`${url}/health/ready`).catch(() => undefined);
    if (response?.ok) return url;
  }
}

function directory(name) {
  const path = join(work, name);
  mkdirSync(path);
  return path;
}

function run([command, ...args], cwd = work, env = {}) {
  execFileSync(command, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'inherit', 'inherit'] });
}

/** Prints the output only after a failure. */
function quietly([command, ...args], cwd) {
  try {
    execFileSync(command, args, { cwd, stdio: 'pipe' });
  } catch (error) {
    process.stderr.write(`${error.stdout}${error.stderr}`);
    throw error;
  }
}
