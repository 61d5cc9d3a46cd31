/**
 * Who has more likes per post is in the same tier or in a higher one, and those who have none are alone in tier 0. Coarse on purpose: a
 * vote changes an author's likes per post every time and their tier hardly ever (docs/experiments.md). The root is exact to the
 * last bit (IEEE 754), here as in MongoDB, so both always agree.
 */
export function likesTier(likesPerPost: number): number {
  return Math.ceil(Math.sqrt(likesPerPost) / 2);
}
