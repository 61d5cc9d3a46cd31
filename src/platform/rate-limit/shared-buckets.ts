import type { RedisService } from '../redis/redis.service.js';

/** Requests taken from a bucket that are not in Redis yet. */
export type Debit = {
  /** unique among the buckets of all hosts */
  name: string;
  /** time in which the taken requests are refilled */
  spentMs: number;
  /** lower bound of the time until the bucket is full again, from the requests known to this process */
  deficitMs: number;
  /** upper bound of that time */
  maxDeficitMs: number;
};

/** Maximum number of keys per script, because a running script blocks Redis. */
const BATCH = 200;

/**
 * Stores a bucket as the time at which it is full again and its key expires. Includes the state of this process, so that one portion
 * corrects an emptied Redis.
 */
const TAKE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local owed = {}
for i, key in ipairs(KEYS) do
  local left = math.max(0, tonumber(redis.call('GET', key) or 0) - now) + tonumber(ARGV[3 * i - 2])
  left = math.min(tonumber(ARGV[3 * i]), math.max(left, tonumber(ARGV[3 * i - 1])))
  if left >= 1 then redis.call('SET', key, now + left, 'PX', math.ceil(left)) else redis.call('DEL', key) end
  owed[i] = math.max(0, math.ceil(left))
end
return owed`;

/** The buckets of all hosts, in Redis. */
export class SharedBuckets {
  constructor(private readonly redis: RedisService) {}

  get isUp(): boolean {
    return this.redis.isUp;
  }

  /** Adds all portions. @returns milliseconds until each bucket is full again, with the requests of all hosts; undefined without Redis */
  async take(portions: Debit[]): Promise<number[] | undefined> {
    const owed: number[] = [];
    for (let at = 0; at < portions.length; at += BATCH) {
      const batch = portions.slice(at, at + BATCH);
      const keys = batch.map(({ name }) => `limit:${name}`);
      const values = batch.flatMap(({ spentMs, deficitMs, maxDeficitMs }) => [spentMs, deficitMs, maxDeficitMs]);
      const reply = await this.redis.run('rate-limit', (client) => client.eval(TAKE, keys.length, ...keys, ...values));
      if (reply === undefined) return undefined;
      owed.push(...(reply as number[]));
    }
    return owed;
  }
}
