import { styleText } from 'node:util';
import { Command } from 'commander';
import { type AppConfig, loadConfig } from '../config/app-config.js';
import type { Finding, State } from './checks/finding.js';

const COLORS = { ok: 'green', off: 'gray', warn: 'yellow', fail: 'red' } as const satisfies Record<State, string>;

/** `check` tests everything that the server needs, and says what to do. Exit code 1 if something must be fixed. */
export function checkCommand(): Command {
  return new Command('check')
    .description(
      'check database, rights, clock, Redis, S3, SMTP, proxy, disk and limits with the settings of the server',
    )
    .action(check);
}

async function check(): Promise<void> {
  // Throws a sentence for each wrong variable.
  const config = loadConfig();
  const findings: Finding[] = [];
  const report = (more: Finding[]): void => {
    findings.push(...more);
    for (const finding of more) console.log(lineOf(finding, config));
  };
  const { checkHost } = await import('./checks/host-checks.js');
  report(await checkHost(config));
  const { checkDatabase, checkBackupUser } = await import('./checks/database-checks.js');
  report(await checkDatabase());
  report(await checkBackupUser(config));
  const { checkServices } = await import('./checks/service-checks.js');
  report(await checkServices(config));
  const count = (state: State): number => findings.filter((finding) => finding.state === state).length;
  console.log(`${count('fail')} to fix, ${count('warn')} to look at, ${count('ok')} in order.`);
  if (count('fail') > 0) process.exitCode = 1;
}

function lineOf({ name, state, text }: Finding, { hasColors }: AppConfig): string {
  const label = state.padEnd(4);
  const isColored = hasColors && process.stdout.isTTY;
  return `${isColored ? styleText(COLORS[state], label) : label}  ${name.padEnd(11)}  ${text}`;
}
