import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { hash, parseOptions, verify } from '@node-rs/argon2';
import { CodedError } from '../common/errors.js';
import { AppConfig } from '../config/app-config.js';

/** Callers that may wait per running hash: about a second's work at the default cost. */
export const MAX_WAITING_PER_SLOT = 32;

/**
 * argon2id with the configured cost. Each hash takes tens of milliseconds of a core and megabytes of memory, so only a few run
 * at once, a bounded number waits, and the rest is refused: a storm of logins cannot starve the reads.
 */
@Injectable()
export class PasswordHasher {
  private readonly parameters: { memoryCost: number; timeCost: number; parallelism: number };
  private readonly concurrency: number;
  private readonly dummyHash: string;
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor({ auth }: AppConfig) {
    this.parameters = { memoryCost: auth.argon2MemoryKib, timeCost: auth.argon2Iterations, parallelism: 1 };
    this.concurrency = auth.hashConcurrency;
    // the hash of no password: checking against it costs what a real check costs
    const base64 = (length: number): string => randomBytes(length).toString('base64').replaceAll('=', '');
    this.dummyHash = `$argon2id$v=19$m=${auth.argon2MemoryKib},t=${auth.argon2Iterations},p=1$${base64(16)}$${base64(32)}`;
  }

  /** @throws CodedError `overloaded` */
  hash(password: string): Promise<string> {
    return this.inTurn(() => hash(normalize(password), this.parameters));
  }

  /**
   * With null for the hash (no such account) it takes the same time and answers false.
   * @throws CodedError `overloaded`
   */
  verify(passwordHash: string | null, password: string): Promise<boolean> {
    return this.inTurn(async () => {
      const isRight = await verify(passwordHash ?? this.dummyHash, normalize(password));
      return isRight && passwordHash !== null;
    });
  }

  /** Whether the hash was made with other parameters than today's. */
  isOutdated(passwordHash: string): boolean {
    const { memoryCost, timeCost, parallelism } = parseOptions(passwordHash);
    const now = this.parameters;
    return memoryCost !== now.memoryCost || timeCost !== now.timeCost || parallelism !== now.parallelism;
  }

  private async inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.running < this.concurrency) {
      this.running++;
    } else {
      if (this.waiting.length >= this.concurrency * MAX_WAITING_PER_SLOT) {
        throw new CodedError('overloaded', 'Too many people are signing in at this moment; try again shortly.', {
          retryAfterSeconds: 2,
        });
      }
      // whoever ends hands its place on, so nobody can slip in between
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) this.running--;
      else next();
    }
  }
}

/** The same password typed on another keyboard or system is the same bytes. */
function normalize(password: string): string {
  return password.normalize('NFKC');
}
