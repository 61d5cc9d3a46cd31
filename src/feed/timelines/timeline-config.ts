import { Injectable } from '@nestjs/common';
import { MAX_MERGED_AUTHORS } from './following-reader.js';

/** The number of follows from which a home timeline is used, and its size. Tests use small numbers. */
@Injectable()
export class TimelineConfig {
  /** readers with more follows read from a timeline; up to this number one merge of index ranges serves them */
  mergedFollows = MAX_MERGED_AUTHORS;
  /** posts that a timeline keeps; older ones are merged when a reader gets there */
  keptPosts = 800;
  /** a timeline is cut with every 128th post that is written to it (at most 256) */
  cutEvery = 128;
  /** posts of an author with more followers are merged at read time: bounds the rows that a fan-out writes */
  fannedOutFollowers = 10_000;
  /** timelines of readers who are inactive for longer get no new posts */
  inactiveDays = 30;
}
