import { randomBytes } from 'node:crypto';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { parseOptions } from '@node-rs/argon2';
import { CodedError } from '../common/errors.js';
import { AppConfig } from '../config/app-config.js';
import { histogram } from '../platform/prometheus/metric.js';
import { type HashJob, HashProcess } from './hash-process.js';

/** Queued calls per hash process: about a second of work at the default cost on an idle machine. */
export const MAX_WAITING_PER_PROCESS = 32;
/** Calls with a longer expected wait are refused, because the same queue takes longer on a busy machine. */
const MAX_WAIT_MS = 2_000;
/** The share of the queue for networks from which the account has not signed in before; the rest is for known networks. */
export const UNKNOWN_NETWORKS_SHARE = 0.75;
/** Weight of the last hash in the moving average of hash times. */
const SMOOTHING = 0.2;

const seconds = histogram({
  name: 'opencanvas_hash_seconds',
  help: 'Hashing time of a password, without its wait for a hash process',
  buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
});

/**
 * Hashes with argon2id at the configured cost. A hash takes tens of milliseconds of a core and megabytes of memory, so it runs in processes
 * of low priority with a bounded queue: a storm of logins cannot starve the reads.
 */
@Injectable()
export class PasswordHasher implements OnApplicationShutdown {
  private readonly parameters: { memoryCost: number; timeCost: number; parallelism: number };
  private readonly dummyHash: string;
  private readonly processes: HashProcess[];
  private readonly idle: HashProcess[];
  private readonly waiting: ((hashing: HashProcess) => void)[] = [];
  private meanMs = 0;

  constructor({ auth, http, process }: AppConfig) {
    this.parameters = { memoryCost: auth.argon2MemoryKib, timeCost: auth.argon2Iterations, parallelism: 1 };
    const perWorker = Math.max(1, Math.floor(auth.hashConcurrency / http.workers));
    this.processes = Array.from({ length: perWorker }, () => new HashProcess(process.hasLowPriority));
    this.idle = [...this.processes];
    // No password matches this hash, and a check against it costs as much as a real check.
    const base64 = (length: number): string => randomBytes(length).toString('base64').replaceAll('=', '');
    this.dummyHash = `$argon2id$v=19$m=${auth.argon2MemoryKib},t=${auth.argon2Iterations},p=1$${base64(16)}$${base64(32)}`;
  }

  onApplicationShutdown(): void {
    for (const each of this.processes) each.stop();
  }

  /**
   * Runs before the first read of a sign-in, so that a refusal costs no round trip to the database.
   * @param share part of the queue that may be in use
   * @throws CodedError `overloaded`
   */
  requireCapacity(share = 1): void {
    if (!this.hasCapacity(share)) throw overloaded();
  }

  hasCapacity(share: number): boolean {
    if (this.idle.length > 0) return true;
    const perProcess = this.waiting.length / this.processes.length;
    return perProcess < MAX_WAITING_PER_PROCESS * share && perProcess * this.meanMs <= MAX_WAIT_MS * share;
  }

  /** @throws CodedError `overloaded` */
  async hash(password: string, share = 1): Promise<string> {
    return (await this.run({ password: normalize(password), options: this.parameters }, share)) as string;
  }

  /**
   * Takes the same time and returns false without a hash (unknown account).
   * @throws CodedError `overloaded`
   */
  async verify(passwordHash: string | null, password: string, share = 1): Promise<boolean> {
    const job = { password: normalize(password), passwordHash: passwordHash ?? this.dummyHash };
    return (await this.run(job, share)) === true && passwordHash !== null;
  }

  /** Whether the hash has other parameters than the configured ones. */
  isOutdated(passwordHash: string): boolean {
    const { memoryCost, timeCost, parallelism } = parseOptions(passwordHash);
    const now = this.parameters;
    return memoryCost !== now.memoryCost || timeCost !== now.timeCost || parallelism !== now.parallelism;
  }

  private async run(job: HashJob, share: number): Promise<string | boolean> {
    const hashing = this.idle.pop() ?? (await this.nextFree(share));
    const startedAt = performance.now();
    try {
      return await hashing.run(job);
    } finally {
      const ms = performance.now() - startedAt;
      seconds.observe(ms / 1_000);
      this.meanMs += (ms - this.meanMs) * SMOOTHING;
      const next = this.waiting.shift();
      if (next === undefined) this.idle.push(hashing);
      else next(hashing);
    }
  }

  private async nextFree(share: number): Promise<HashProcess> {
    this.requireCapacity(share);
    return new Promise((resolve) => this.waiting.push(resolve));
  }
}

function overloaded(): CodedError {
  return new CodedError('overloaded', 'Too many sign-ins at the moment. Try again shortly.', {
    retryAfterSeconds: 2,
  });
}

/** Converts a password typed on different keyboards or systems to the same bytes. */
function normalize(password: string): string {
  return password.normalize('NFKC');
}
