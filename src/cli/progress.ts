import { Presets, SingleBar } from 'cli-progress';

export type ProgressStep = {
  /** a log gets a line for each phase, and for each tenth of the work */
  phase: string;
  what: string;
  /** documents so far */
  written: number;
  /** share of the finished work, 0 to 1 */
  share: number;
  isDone?: boolean;
};

/** Shows the progress of a command: a bar on a terminal, some lines elsewhere. */
export interface Progress {
  update(step: ProgressStep): void;
  stop(): void;
}

export function createProgress(stream: NodeJS.WriteStream, now: () => number = () => performance.now()): Progress {
  const startedAt = now();
  const read = (step: ProgressStep): Reading => readingOf(step, Math.max((now() - startedAt) / 1000, 0.001));
  return stream.isTTY ? createBar(stream, read) : createLines(stream, read);
}

type Reading = { what: string; rate: string; left: string; percent: number };

function createBar(stream: NodeJS.WriteStream, read: (step: ProgressStep) => Reading): Progress {
  const format = '{bar} {percent}% | {what} | {rate} documents/s | {left}';
  const bar = new SingleBar({ stream, format, hideCursor: true, fps: 8, etaBuffer: 1 }, Presets.shades_classic);
  bar.start(1, 0, { percent: 0, what: 'planning', rate: '-', left: '' });
  return { update: (step) => bar.update(step.share, read(step)), stop: () => bar.stop() };
}

function createLines(stream: NodeJS.WritableStream, read: (step: ProgressStep) => Reading): Progress {
  let last = '';
  const update = (progress: ProgressStep): void => {
    const step = `${progress.phase} ${Math.floor(progress.share * 10)}`;
    if (step === last) return;
    last = step;
    const { what, rate, left, percent } = read(progress);
    stream.write(`${String(percent).padStart(3)}%  ${what}, ${rate} documents/s, ${left}\n`);
  };
  return { update, stop: () => {} };
}

function readingOf({ what, written, share, isDone = false }: ProgressStep, seconds: number): Reading {
  const remaining =
    share === 0 ? 'remaining time unknown yet' : `about ${duration((seconds * (1 - share)) / share)} left`;
  return {
    what,
    rate: written === 0 ? '-' : String(Math.round(written / seconds)),
    left: isDone ? `took ${duration(seconds)}` : remaining,
    percent: Math.floor(share * 100),
  };
}

function duration(seconds: number): string {
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
