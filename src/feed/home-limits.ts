import { Injectable } from '@nestjs/common';
import { MAX_MERGED_AUTHORS } from './following-reader.js';

/** From where on the following feed is read from a home timeline, and how much one may hold. Tests make the numbers small. */
@Injectable()
export class HomeLimits {
  /** readers with more follows read from a timeline; up to this number one merge of index ranges serves them */
  mergedFollows = MAX_MERGED_AUTHORS;
  /** posts that a timeline keeps; older ones are merged when a reader gets there */
  keptPosts = 800;
  /** a timeline is cut with every so-manieth post that is written to it, at most 256 */
  cutEvery = 128;
  /** posts of an author with more followers are merged at read time: bounds the rows that a fan-out writes */
  fannedOutFollowers = 10_000;
  /** timelines of readers who are inactive for longer get no new posts */
  inactiveDays = 30;
}
