import { Injectable } from '@nestjs/common';
import { ObjectId } from 'mongodb';
import { PostsService } from '../posts/posts.service.js';

const CACHE_TTL_MS = 300_000;
/** about 10 MB */
const MAX_CACHED = 100_000;

/** Caches the scores of posts for some minutes, because reading the scores of 200 candidates was half of the cost of a search. */
@Injectable()
export class Engagement {
  private readonly scores = new Map<string, number>();
  private since = performance.now();

  constructor(private readonly posts: PostsService) {}

  /** Returns the top score of each id; 0 for a missing post. */
  async scoresOf(ids: readonly string[]): Promise<Map<string, number>> {
    if (performance.now() - this.since > CACHE_TTL_MS || this.scores.size > MAX_CACHED) {
      this.scores.clear();
      this.since = performance.now();
    }
    const scores = new Map(ids.map((id) => [id, this.scores.get(id)]));
    const unknown = ids.filter((id) => scores.get(id) === undefined);
    const found = await this.posts.topScoresOf(unknown.map((id) => ObjectId.createFromHexString(id)));
    for (const id of unknown) {
      const score = Math.max(0, found.get(id) ?? 0);
      this.scores.set(id, score);
      scores.set(id, score);
    }
    return scores as Map<string, number>;
  }
}
