// `npm run audit`: known vulnerabilities of the locked packages. A high or critical one is a failure. A registry without an advisory
// service (mirrors often have none) is reported, but is no failure.
import { spawnSync } from 'node:child_process';
import { npm, ROOT } from './lib/prepare.mjs';

const [command, args] = npm('audit', '--json', '--audit-level=high');
const { stdout, stderr, error } = spawnSync(command, args, {
  cwd: ROOT,
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
});
if (error) throw error;

const report = parse(stdout);
const found = report?.metadata?.vulnerabilities;
if (found === undefined) {
  const reason = report?.message ?? report?.error?.summary ?? stderr.trim().split('\n')[0];
  console.log(`Vulnerabilities: NOT KNOWN, the registry gave no advisories (${reason || 'no answer'}).`);
  process.exit(0);
}
for (const { name, severity, range, via } of Object.values(report.vulnerabilities)) {
  const titles = via.map((cause) => (typeof cause === 'string' ? `through ${cause}` : `${cause.title} ${cause.url}`));
  console.log(`${severity.padEnd(8)} ${name} ${range}: ${titles.join('; ')}`);
}
const grave = found.high + found.critical;
console.log(`Vulnerabilities: ${found.total}, of them high or critical: ${grave}.`);
process.exit(grave > 0 ? 1 : 0);

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
