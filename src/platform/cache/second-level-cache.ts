import { crc32 } from 'node:zlib';
import type { RedisService } from '../redis/redis.service.js';
import { CacheEntry, type EntryParts } from './cache-entry.js';

/** `sequence`: the last invalidation before the read, for `write`. `entry`: the response, if another process has stored it. */
export type Shared = { sequence: string; entry: CacheEntry | undefined };

/** Number of slots that tags are hashed to, so that one Redis hash stores all slots. A collision only causes an extra computation. */
const SLOTS = 4_096;
const MAX_BODY_BYTES = 262_144;

/**
 * The hash KEYS[1] stores the number of the last invalidation (`sequence`), of the last full one (`all`), and of the last one per slot.
 * If Redis loses the hash, numbers restart from the current time, which invalidates all earlier entries.
 */
const SEQUENCE = `
local sequence = redis.call('HGET', KEYS[1], 'sequence')
if not sequence then
  local time = redis.call('TIME')
  sequence = time[1] .. string.format('%06d', time[2])
  redis.call('HSET', KEYS[1], 'sequence', sequence, 'all', sequence)
end`;

const READ = `${SEQUENCE}
local stored = redis.call('HMGET', KEYS[2], 'sequence', 'slots', 'at')
if not stored[1] then return {sequence} end
local fields = {}
for slot in string.gmatch(stored[2], '%d+') do fields[#fields + 1] = slot end
for _, last in ipairs(redis.call('HMGET', KEYS[1], 'all', unpack(fields))) do
  if last and tonumber(last) > tonumber(stored[1]) then return {sequence} end
end
local time = redis.call('TIME')
local age = (time[1] - string.sub(stored[3], 1, -7)) * 1000 + math.floor((time[2] - string.sub(stored[3], -6)) / 1000)
return {sequence, tostring(math.max(0, age)), unpack(redis.call('HMGET', KEYS[2], 'head', 'body'))}`;

const WRITE = `
local time = redis.call('TIME')
local at = string.format('%d', time[1] * 1000000 + time[2] - ARGV[6])
redis.call('HSET', KEYS[1], 'sequence', ARGV[1], 'slots', ARGV[2], 'at', at, 'head', ARGV[3], 'body', ARGV[4])
redis.call('PEXPIRE', KEYS[1], ARGV[5])
return 1`;

/** Invalidates the slots in ARGV, or everything if ARGV is empty. */
const INVALIDATE = `${SEQUENCE}
redis.call('HINCRBY', KEYS[1], 'sequence', 1)
sequence = redis.call('HGET', KEYS[1], 'sequence')
if #ARGV == 0 then redis.call('HSET', KEYS[1], 'all', sequence) end
for _, slot in ipairs(ARGV) do redis.call('HSET', KEYS[1], slot, sequence) end
return 1`;

/**
 * Shares fresh responses between all hosts in Redis. Processes forward invalidations over the connection of their reads, so they never
 * read a response computed before. After a failed invalidation or an outage, the cache first invalidates everything.
 */
export class SecondLevelCache {
  private invalidated: Promise<unknown> = Promise.resolve();
  private needsFullInvalidation = true;
  private catchingUp: Promise<void> | undefined;

  /** @param group only caches of the same group share responses */
  constructor(
    private readonly redis: RedisService,
    private readonly group: string,
  ) {
    redis.onUp(() => (this.needsFullInvalidation = true));
  }

  /** Reads a response in one round trip. Returns undefined while Redis is unavailable. */
  async read(key: string): Promise<Shared | undefined> {
    if (this.needsFullInvalidation) await (this.catchingUp ??= this.catchUp());
    if (this.needsFullInvalidation) return undefined;
    const { invalidated } = this;
    const reply = await this.redis.run('cache-read', (client) => client.eval(READ, 2, this.state, this.keyOf(key)));
    await invalidated;
    if (reply === undefined || this.needsFullInvalidation) return undefined;
    const [sequence, age, head, body] = reply as [string, string?, string?, string?];
    return { sequence, entry: age === undefined ? undefined : entryOf(key, head!, body!, Number(age)) };
  }

  /** Stores a response computed after `read` returned `sequence`. Redis ignores the entry if one of its tags was invalidated since. */
  async write(sequence: string, entry: CacheEntry): Promise<void> {
    const { body } = entry.identity;
    if (entry.storeOnSecondUse || body.length > MAX_BODY_BYTES) return;
    const { route, baseHeaders: headers, tags, policy, etagPrefix, isFiltered, ownFor } = entry;
    const head = JSON.stringify({ route, headers, tags, policy, etagPrefix, isFiltered, ownFor } satisfies Head);
    // The age counts from the read of the data, not from the store.
    const ageMicros = Math.ceil((performance.now() - entry.readAt) * 1_000);
    const values = [sequence, slotsOf(tags).join(), head, body, Math.ceil(policy.freshMs), ageMicros];
    await this.redis.run('cache-write', (client) => client.eval(WRITE, 1, this.keyOf(entry.key), ...values));
  }

  /** @param tags null invalidates everything */
  invalidate(tags: string[] | null): void {
    const slots = tags === null ? [] : slotsOf(tags);
    if (tags !== null && slots.length === 0) return;
    this.invalidated = this.redis
      .run('cache-invalidate', (client) => client.eval(INVALIDATE, 1, this.state, ...slots))
      .then((reply) => {
        if (reply === undefined) this.needsFullInvalidation = true;
        else if (tags === null) this.needsFullInvalidation = false;
      });
  }

  private async catchUp(): Promise<void> {
    this.invalidate(null);
    await this.invalidated;
    this.catchingUp = undefined;
  }

  private get state(): string {
    return `cache:${this.group}`;
  }

  private keyOf(key: string): string {
    return `${this.state}:${key}`;
  }
}

type Head = Required<
  Pick<EntryParts, 'route' | 'headers' | 'tags' | 'policy' | 'etagPrefix' | 'isFiltered' | 'ownFor'>
>;

/** Returns undefined if the response is no longer fresh. */
function entryOf(key: string, head: string, text: string, ageMs: number): CacheEntry | undefined {
  const now = performance.now();
  const body = Buffer.from(text);
  const entry = new CacheEntry({
    ...(JSON.parse(head) as Head),
    key,
    body,
    now: now - ageMs,
    isFromL2: true,
  });
  return now < entry.freshUntil ? entry : undefined;
}

function slotsOf(tags: string[]): number[] {
  return [...new Set(tags.map((tag) => crc32(tag) % SLOTS))];
}
