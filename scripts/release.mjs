// Makes a release: `node scripts/release.mjs VERSION [--dry-run]`. It commits and tags, and pushes nothing. release/VERSION gets the package
// of the SDK and the SBOM of the server.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { npm, ROOT } from './lib/prepare.mjs';
import { isNext, releaseChangelog, shippedOnly, withVersion } from './lib/release.mjs';

const PACKAGES = ['package.json', 'package-lock.json', 'sdk/package.json'];
const isDryRun = process.argv.includes('--dry-run');
const [version] = process.argv.slice(2).filter((argument) => argument !== '--dry-run');

process.chdir(ROOT);
try {
  release();
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

function release() {
  const { name, version: current } = JSON.parse(readFileSync('package.json', 'utf8'));
  if (version === undefined) throw new Error('Usage: node scripts/release.mjs VERSION [--dry-run]');
  if (!isNext(current, version)) throw new Error(`${version} does not follow ${current}.`);
  if (git('tag', '--list', `v${version}`) !== '') throw new Error(`There is a tag v${version}.`);
  if (git('status', '--porcelain') !== '') throw new Error('The working tree has changes: commit them first.');
  const date = new Date().toISOString().slice(0, 10);
  const { text, section } = releaseChangelog(readFileSync('CHANGELOG.md', 'utf8'), version, date);
  const output = join('release', version);

  const steps = [
    [`move "Unreleased" of CHANGELOG.md to ${version} - ${date}`, () => writeFileSync('CHANGELOG.md', text)],
    [`write ${version} into ${PACKAGES.join(', ')}`, () => PACKAGES.forEach(setVersion)],
    ['build', () => run('run', 'build')],
    ['generate docs/openapi.json', () => run('run', 'cli', '--', 'openapi')],
    ['generate the types of the SDK', () => run('run', 'sdk:types')],
    [`write ${output}/${name}-${version}.cdx.json`, () => writeSbom(output, name)],
    // .npmrc turns off the script that builds the package.
    [`pack the SDK into ${output}`, () => run('pack', './sdk', '--ignore-scripts=false', '--pack-destination', output)],
    [`commit "release: ${version}"`, () => git('commit', '--all', '--message', `release: ${version}`)],
    // The section has Markdown headings, which git would remove as comments.
    [`tag v${version}`, () => git('tag', '--annotate', '--cleanup=verbatim', '--message', section, `v${version}`)],
  ];
  for (const [step, work] of steps) {
    console.log(isDryRun ? `would ${step}` : step);
    if (!isDryRun) attempt(work);
  }
  if (isDryRun) console.log(`\n${section}`);
}

function attempt(work) {
  try {
    work();
  } catch (error) {
    throw new Error(`${error.message}\nThe release is not complete. Undo its changes with: git restore .`);
  }
}

function setVersion(file) {
  writeFileSync(file, withVersion(readFileSync(file, 'utf8'), version));
}

function writeSbom(output, name) {
  const type = ['--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only'];
  const [command, args] = npm('sbom', '--offline', ...type);
  const bom = JSON.parse(execFileSync(command, args, { encoding: 'utf8', maxBuffer: 64 * 2 ** 20 }));
  // npm takes the name of the folder.
  bom.metadata.component.name = name;
  const shipped = shippedOnly(bom);
  mkdirSync(output, { recursive: true });
  writeFileSync(join(output, `${name}-${version}.cdx.json`), `${JSON.stringify(shipped, null, 2)}\n`);
}

function run(...args) {
  const [command, all] = npm(...args);
  execFileSync(command, all, { stdio: 'inherit' });
}

function git(...args) {
  return execFileSync('git', args, { encoding: 'utf8' }).trim();
}
