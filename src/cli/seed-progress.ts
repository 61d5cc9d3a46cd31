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
  return stream.isTTY ? new ProgressBar(stream, now) : new ProgressLines(stream, now);
}

class ProgressBar implements SeedProgress {
  private readonly bar: SingleBar;
  private readonly pace: Pace;

  constructor(stream: NodeJS.WriteStream, now: () => number) {
    this.pace = new Pace(now);
    this.bar = new SingleBar(
      {
        stream,
        format: '{bar} {percent}% | {what} | {rate} documents/s | {left}',
        hideCursor: true,
        fps: 8,
        etaBuffer: 1,
      },
      Presets.shades_classic,
    );
    this.bar.start(1, 0, { percent: 0, what: 'planning', rate: '-', left: '' });
  }

  update(progress: LoadProgress): void {
    const { what, rate, left, percent } = this.pace.read(progress);
    this.bar.update(progress.share, { percent, what, rate, left });
  }

  stop(): void {
    this.bar.stop();
  }
}

class ProgressLines implements SeedProgress {
  private readonly pace: Pace;
  private lastTenth = -1;
  private lastPhase = '';

  constructor(
    private readonly stream: NodeJS.WritableStream,
    now: () => number,
  ) {
    this.pace = new Pace(now);
  }

  update(progress: LoadProgress): void {
    const tenth = Math.floor(progress.share * 10);
    if (progress.phase === this.lastPhase && tenth === this.lastTenth) return;
    const { what, rate, left, percent } = this.pace.read(progress);
    this.lastTenth = tenth;
    this.lastPhase = progress.phase;
    this.stream.write(`${String(percent).padStart(3)}%  ${what}, ${rate} documents/s, ${left}\n`);
  }

  stop(): void {}
}

/** Turns counts into a rate and a remaining time. */
class Pace {
  private readonly startedAt: number;

  constructor(private readonly now: () => number) {
    this.startedAt = now();
  }

  read({ phase, collection, written, total, share }: LoadProgress) {
    const seconds = Math.max((this.now() - this.startedAt) / 1000, 0.001);
    const whats = {
      documents: `${collection}: ${written} of ${total}`,
      indexes: `${total} documents stored, building indexes`,
      done: `${total} documents and their indexes`,
    };
    return {
      what: whats[phase],
      rate: written === 0 ? '-' : Math.round(written / seconds),
      left: this.left(phase, share, seconds),
      percent: Math.floor(share * 100),
    };
  }

  private left(phase: LoadProgress['phase'], share: number, seconds: number): string {
    if (phase === 'done') return `took ${duration(seconds)}`;
    return share === 0 ? 'remaining time unknown yet' : `about ${duration((seconds * (1 - share)) / share)} left`;
  }
}

function duration(seconds: number): string {
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
