import { Injectable } from '@nestjs/common';
import { CpuPool } from '../platform/cpu-pool/cpu-pool.js';
import { type CpuTask, TaskLimitExceeded } from '../platform/cpu-pool/cpu-task.js';
import type { TextAddress } from './text-addresses.js';

const FIND: CpuTask<typeof import('./addresses.task.js').run> = {
  name: 'imports: addresses',
  module: new URL('./addresses.task.js', import.meta.url),
  limitMs: 1_000,
  waitMs: 20_000,
};

/** Finds addresses in texts of others, whose parsing may take long. */
@Injectable()
export class MarkdownAddresses {
  constructor(private readonly pool: CpuPool) {}

  /** Returns no addresses of a text whose parsing takes too long. @param author hex id @throws CodedError `overloaded` */
  async find(markdown: string, author: string): Promise<TextAddress[]> {
    try {
      return await this.pool.run(FIND, { markdown }, author);
    } catch (error) {
      if (error instanceof TaskLimitExceeded) return [];
      throw error;
    }
  }
}
