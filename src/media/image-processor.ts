import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { CodedError } from '../common/errors.js';
import { AppConfig } from '../config/app-config.js';
import { minimalEnvironment } from '../config/shared-environment.js';
import { Semaphore } from '../common/semaphore.js';
import { JobProcess, ProcessEnded } from '../platform/processes/job-process.js';
import { histogram } from '../platform/prometheus/metric.js';
import type { ProcessedImage, ImageResult, ImageJob, ImageLimits } from './image-job.js';

const PROGRAM = fileURLToPath(new URL('./image.child.js', import.meta.url));
/** maximum number of queued jobs; each job is a file on disk and takes about a second */
const MAX_WAITING = 32;
const MAX_WAIT_MS = 20_000;
/** Applies only on a busy host, because the process itself stops jobs that take too much CPU. */
const LIMIT_MS = 30_000;
/** An AVIF of 50 million pixels takes 8 s and 1.0 GB. */
const LIMITS: ImageLimits = { cpuMs: 10_000, memoryBytes: 1_300_000_000 };
/** signals of a crashed process */
const CRASHES = ['SIGSEGV', 'SIGABRT', 'SIGBUS', 'SIGILL', 'SIGFPE', 'SIGTRAP', 'SIGSYS'];

const seconds = histogram({
  name: 'opencanvas_picture_seconds',
  help: 'Duration of processing uploaded images, without the time in the queue, by outcome',
  labelNames: ['outcome'],
  buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
});

/** Re-encodes uploads one at a time, in a process of the lowest priority (PROCESS_LOW_PRIORITY) that starts with the first image. */
@Injectable()
export class ImageProcessor implements OnApplicationShutdown {
  private readonly process: JobProcess<ImageJob, ImageResult>;
  private limits = LIMITS;
  private readonly semaphore = new Semaphore({ running: 1, waiting: MAX_WAITING, waitMs: MAX_WAIT_MS });

  constructor(config: AppConfig) {
    this.process = new JobProcess(() => startProcess(config.process.hasLowPriority));
  }

  onApplicationShutdown(): void {
    this.process.stop();
  }

  /** @throws CodedError `invalid_image`, `overloaded` */
  async make(files: Omit<ImageJob, 'limits'>): Promise<ProcessedImage> {
    if (!(await this.semaphore.acquire())) throw overloaded();
    const end = seconds.startTimer();
    let outcome = 'failed';
    try {
      const result = await this.runJob({ ...files, limits: this.limits });
      outcome = 'image' in result ? 'done' : 'refused';
      if ('refusal' in result) throw invalidImage(result.refusal);
      if ('problem' in result) throw overloaded(result.problem);
      return result.image;
    } finally {
      end({ outcome });
      this.semaphore.release();
    }
  }

  /** Retries once if the process was killed, but not if the image crashed the process. */
  private async runJob(job: ImageJob): Promise<ImageResult> {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.process.stop();
    }, LIMIT_MS);
    try {
      return await this.process.run(job).catch((error: unknown) => {
        if (isLate || isCrash(error)) throw error;
        return this.process.run(job);
      });
    } catch (error) {
      if (!(error instanceof ProcessEnded)) throw error;
      throw isCrash(error) ? invalidImage('cannot be decoded') : overloaded(error.message);
    } finally {
      clearTimeout(timer);
    }
  }
}

function startProcess(hasLowPriority: boolean): ChildProcess {
  // The environment contains no secrets, because the decoder reads untrusted bytes. One malloc arena saves memory.
  const env = minimalEnvironment({ MALLOC_ARENA_MAX: '1' });
  const options = hasLowPriority ? ['--low-priority'] : [];
  return fork(PROGRAM, options, { detached: true, env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
}

function isCrash(error: unknown): boolean {
  return error instanceof ProcessEnded && error.signal !== null && CRASHES.includes(error.signal);
}

/** @param why for example `cannot be decoded` */
export function invalidImage(why: string): CodedError {
  return new CodedError('invalid_image', `The file ${why}.`);
}

function overloaded(cause?: string): CodedError {
  const detail = 'The server has too many images to process; try again in a moment.';
  return new CodedError('overloaded', detail, { retryAfterSeconds: 5, cause });
}
