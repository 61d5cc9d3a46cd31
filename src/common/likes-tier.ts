/**
 * Who has more likes per post is in the same tier or in a higher one. Coarse on purpose: a vote changes an author's likes per post every
 * time and their tier hardly ever. The root is exact to the last bit (IEEE 754), here as in MongoDB, so both always agree.
 */
export function likesTier(likesPerPost: number): number {
  return Math.floor(Math.sqrt(likesPerPost));
}
