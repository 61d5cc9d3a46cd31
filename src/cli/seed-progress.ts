import { Presets, SingleBar } from 'cli-progress';
import type { LoadProgress } from '../../seeds/load.js';

/** Shows how far a load has come: a bar on a terminal, elsewhere a line for every tenth of the way and every new phase. */
export interface SeedProgress {
  update(progress: LoadProgress): void;
  stop(): void;
}

export function createSeedProgress(
  stream: NodeJS.WriteStream,
  now: () => number = () => performance.now(),
): SeedProgress {
  const startedAt = now();
  const read = (progress: LoadProgress): Reading => readingOf(progress, Math.max((now() - startedAt) / 1000, 0.001));
  return stream.isTTY ? createBar(stream, read) : createLines(stream, read);
}

type Reading = { what: string; rate: string; left: string; percent: number };

function createBar(stream: NodeJS.WriteStream, read: (progress: LoadProgress) => Reading): SeedProgress {
  const format = '{bar} {percent}% | {what} | {rate} documents/s | {left}';
  const bar = new SingleBar({ stream, format, hideCursor: true, fps: 8, etaBuffer: 1 }, Presets.shades_classic);
  bar.start(1, 0, { percent: 0, what: 'planning', rate: '-', left: '' });
  return { update: (progress) => bar.update(progress.share, read(progress)), stop: () => bar.stop() };
}

function createLines(stream: NodeJS.WritableStream, read: (progress: LoadProgress) => Reading): SeedProgress {
  let last = '';
  const update = (progress: LoadProgress): void => {
    const step = `${progress.phase} ${Math.floor(progress.share * 10)}`;
    if (step === last) return;
    last = step;
    const { what, rate, left, percent } = read(progress);
    stream.write(`${String(percent).padStart(3)}%  ${what}, ${rate} documents/s, ${left}\n`);
  };
  return { update, stop: () => {} };
}

function readingOf({ phase, collection, written, total, share }: LoadProgress, seconds: number): Reading {
  const whats = {
    documents: `${collection}: ${written} of ${total}`,
    indexes: `${total} documents stored, building indexes`,
    done: `${total} documents and their indexes`,
  };
  const remaining =
    share === 0 ? 'remaining time unknown yet' : `about ${duration((seconds * (1 - share)) / share)} left`;
  return {
    what: whats[phase],
    rate: written === 0 ? '-' : String(Math.round(written / seconds)),
    left: phase === 'done' ? `took ${duration(seconds)}` : remaining,
    percent: Math.floor(share * 100),
  };
}

function duration(seconds: number): string {
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
