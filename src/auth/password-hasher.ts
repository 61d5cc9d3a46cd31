import { randomBytes } from 'node:crypto';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { parseOptions } from '@node-rs/argon2';
import { CodedError } from '../common/errors.js';
import { AppConfig } from '../config/app-config.js';
import { HostTurns } from '../platform/cluster/host-turns.js';
import { type HashJob, HashProcess } from './hash-process.js';

/** Callers that may wait per hash process: about a second's work at the default cost on an idle machine. */
export const MAX_WAITING_PER_PROCESS = 32;
/** On a busy one the same queue takes longer: who would wait longer than this is refused at once instead of served late. */
const MAX_WAIT_MS = 2_000;
/** A wait is expected from how long the last few hashes took. */
const SMOOTHING = 0.2;

/**
 * argon2id with the configured cost. Each hash takes tens of milliseconds of a core and megabytes of memory, so it is made in
 * processes of low priority, only a few at once on a host, a bounded number waits, and the rest is refused: a storm of logins
 * cannot starve the reads.
 */
@Injectable()
export class PasswordHasher implements OnApplicationShutdown {
  private readonly parameters: { memoryCost: number; timeCost: number; parallelism: number };
  private readonly dummyHash: string;
  private readonly processes: HashProcess[];
  private readonly idle: HashProcess[];
  private readonly waiting: ((hashing: HashProcess) => void)[] = [];
  /** from the beginning of a hash, or of the wait for the turn, to its end */
  private meanMs = 0;
  /** the turn to wait for when the processes of the host share fewer hashes than there are processes */
  private readonly turn: string | undefined;

  constructor(
    { auth, http }: AppConfig,
    private readonly turns: HostTurns,
  ) {
    this.parameters = { memoryCost: auth.argon2MemoryKib, timeCost: auth.argon2Iterations, parallelism: 1 };
    const perProcess = Math.max(1, Math.floor(auth.hashConcurrency / http.workers));
    this.processes = Array.from({ length: perProcess }, () => new HashProcess());
    this.idle = [...this.processes];
    if (auth.hashConcurrency < http.workers) this.turn = `hash ${turns.seat % auth.hashConcurrency}`;
    // the hash of no password: checking against it costs what a real check costs
    const base64 = (length: number): string => randomBytes(length).toString('base64').replaceAll('=', '');
    this.dummyHash = `$argon2id$v=19$m=${auth.argon2MemoryKib},t=${auth.argon2Iterations},p=1$${base64(16)}$${base64(32)}`;
  }

  onApplicationShutdown(): void {
    for (const each of this.processes) each.stop();
  }

  /**
   * To be asked before anything is looked up for a sign-in: beyond the bound a refusal costs no round trip to the database.
   * @throws CodedError `overloaded`
   */
  requireRoom(): void {
    if (this.idle.length > 0) return;
    const perProcess = this.waiting.length / this.processes.length;
    if (perProcess >= MAX_WAITING_PER_PROCESS || perProcess * this.meanMs > MAX_WAIT_MS) throw overloaded();
  }

  /** @throws CodedError `overloaded` */
  async hash(password: string): Promise<string> {
    return (await this.inTurn({ password: normalize(password), options: this.parameters })) as string;
  }

  /**
   * With null for the hash (no such account) it takes the same time and answers false.
   * @throws CodedError `overloaded`
   */
  async verify(passwordHash: string | null, password: string): Promise<boolean> {
    const job = { password: normalize(password), passwordHash: passwordHash ?? this.dummyHash };
    const isRight = await this.inTurn(job);
    return isRight === true && passwordHash !== null;
  }

  /** Whether the hash was made with other parameters than today's. */
  isOutdated(passwordHash: string): boolean {
    const { memoryCost, timeCost, parallelism } = parseOptions(passwordHash);
    const now = this.parameters;
    return memoryCost !== now.memoryCost || timeCost !== now.timeCost || parallelism !== now.parallelism;
  }

  private async inTurn(job: HashJob): Promise<string | boolean> {
    const hashing = this.idle.pop() ?? (await this.nextFree());
    const startedAt = performance.now();
    try {
      const done = this.turn === undefined ? undefined : await this.turns.take(this.turn);
      try {
        return await hashing.run(job);
      } finally {
        done?.();
      }
    } finally {
      this.meanMs += (performance.now() - startedAt - this.meanMs) * SMOOTHING;
      // whoever ends hands its process on, so nobody can slip in between
      const next = this.waiting.shift();
      if (next === undefined) this.idle.push(hashing);
      else next(hashing);
    }
  }

  private async nextFree(): Promise<HashProcess> {
    this.requireRoom();
    return new Promise((resolve) => this.waiting.push(resolve));
  }
}

function overloaded(): CodedError {
  return new CodedError('overloaded', 'Too many people are signing in at this moment; try again shortly.', {
    retryAfterSeconds: 2,
  });
}

/** The same password typed on another keyboard or system is the same bytes. */
function normalize(password: string): string {
  return password.normalize('NFKC');
}
