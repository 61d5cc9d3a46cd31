import { Injectable } from '@nestjs/common';
import { MAX_MERGED_AUTHORS } from './following-reader.js';

/** From where on the following feed is read from a home timeline, and how much one may hold. Tests make the numbers small. */
@Injectable()
export class HomeLimits {
  /** who follows more reads from a timeline: so many are one merge of index ranges */
  mergedFollows = MAX_MERGED_AUTHORS;
  /** posts a timeline keeps; what is older is merged when a reader gets there */
  keptPosts = 800;
  /** a timeline is cut with every so-manieth post that is written to it, at most 256 */
  cutEvery = 128;
  /** the posts of an author with more followers are merged at read time: a fan-out writes at most so many rows */
  fannedOutFollowers = 10_000;
  /** readers who stay away longer are not written for */
  inactiveDays = 30;
}
