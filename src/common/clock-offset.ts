/**
 * Returns by how many ms this clock is ahead of a server's (negative: behind), at least: the server reads its clock at an unknown moment of
 * the round trip.
 */
export function clockOffsetMs(serverMs: number, sentAt: number, receivedAt: number): number {
  const offsetMs = (sentAt + receivedAt) / 2 - serverMs;
  return Math.sign(offsetMs) * Math.max(0, Math.abs(offsetMs) - (receivedAt - sentAt) / 2);
}
