/** limits per account; further uploads are rejected */
export const MAX_FILES = 5_000;
export const MAX_BYTES = 1_000_000_000;
/** limit for all images without an account */
export const MAX_GUEST_BYTES = 200_000_000;

export const MAX_UPLOAD_BYTES = 10 * 1024 * 1024;
export const MAX_ALT = 300;

const HOUR_MS = 3_600_000;

/** Returns the time at which an image without references is deleted. */
export const unusedUntil = (): Date => new Date(Date.now() + 24 * HOUR_MS);

/** Returns the time after which an unfinished upload counts as interrupted. */
export const pendingUntil = (): Date => new Date(Date.now() + HOUR_MS);
