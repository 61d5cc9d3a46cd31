import { readFile, writeFile } from 'node:fs/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import { StartupError } from '../common/errors.js';
import { loadConfig } from '../config/app-config.js';
import { requestProfile } from '../platform/cluster/control-socket.js';
import { MAX_PROFILE_SECONDS, PROFILE_KINDS, type ProfileKind } from '../platform/processes/take-profile.js';
import { showStatus } from './cli-context.js';
import { findServer } from './find-server.js';
import { flameGraph, type Profile } from './flame-graph.js';
import { wholeNumber } from './numbers.js';

type Options = { process: string; seconds: number; kind: ProfileKind; port?: number };

/** Profiles a process of a running server of this host. The server writes the profile, and this command the flame graph beside it. */
export function profileCommand(): Command {
  return new Command('profile')
    .description('record where a process of the running server uses CPU time or memory, and draw a flame graph')
    .requiredOption('--process <name>', 'web-1, web-2, …, jobs, writer, primary, or a pid')
    .option('--seconds <seconds>', `time to record, at most ${MAX_PROFILE_SECONDS}`, secondsOf, 10)
    .addOption(
      new Option('--kind <kind>', 'cpu time, heap (still in use at the end), or all allocations')
        .choices(PROFILE_KINDS)
        .default('cpu'),
    )
    .option('--port <port>', 'port of the server, if several share the data directory', wholeNumber)
    .action(async ({ process: name, seconds, kind, port }: Options) => {
      const { control } = await findServer(loadConfig().mongo.dataDir, port);
      if (control === undefined)
        throw new StartupError('This server accepts no commands: see its temporary directory.');
      const progress = new Countdown(seconds);
      const start = (pid: number): void => progress.start(`${kind} of ${name} (pid ${pid})`);
      const file = await requestProfile(control, { process: name, kind, seconds }, start).finally(() =>
        progress.stop(),
      );
      const profile = JSON.parse(await readFile(file, 'utf8')) as Profile;
      const page = `${file}.html`;
      await writeFile(page, flameGraph(profile, `${kind} of ${name}, ${seconds} s`), { mode: 0o600 });
      console.log(`${file}\n${page}`);
    });
}

/** Shows the seconds that are left on a terminal, and one line elsewhere. */
class Countdown {
  private timer: NodeJS.Timeout | undefined;

  constructor(private left: number) {}

  start(what: string): void {
    if (!process.stderr.isTTY) console.error(`Recording ${what} for ${this.left} s`);
    const show = (): void => showStatus(`Recording ${what}: ${Math.max(0, this.left--)} s left`);
    show();
    this.timer = setInterval(show, 1_000);
  }

  stop(): void {
    clearInterval(this.timer);
    if (this.timer !== undefined) showStatus('');
  }
}

function secondsOf(text: string): number {
  const seconds = wholeNumber(text);
  if (seconds > MAX_PROFILE_SECONDS) throw new InvalidArgumentError(`It must be at most ${MAX_PROFILE_SECONDS}.`);
  return seconds;
}
