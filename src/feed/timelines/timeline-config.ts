import { Injectable } from '@nestjs/common';
import { MAX_MERGED_AUTHORS } from './following-reader.js';

/** Thresholds and sizes of home timelines. Tests use smaller numbers. */
@Injectable()
export class TimelineConfig {
  /** maximum follows for a merge of index ranges; readers with more follows use a timeline */
  mergedFollows = MAX_MERGED_AUTHORS;
  /** the length of a timeline; older posts are merged at read time */
  keptPosts = 800;
  /** how often a timeline is cut to its length: at every 128th post (at most 256) */
  cutEvery = 128;
  /** posts of authors with more followers are merged at read time, which limits the writes of a fan-out */
  fannedOutFollowers = 10_000;
  /** timelines of readers inactive for longer are closed */
  inactiveDays = 30;
}
