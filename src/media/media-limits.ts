/** An account that has reached one of these takes no more images. */
export const MAX_FILES = 5_000;
export const MAX_BYTES = 1_000_000_000;

export const MAX_UPLOAD_BYTES = 10 * 1024 * 1024;
export const MAX_ALT = 300;

const HOUR_MS = 3_600_000;

/** An image that nothing names stays for this long. */
export const unusedUntil = (): Date => new Date(Date.now() + 24 * HOUR_MS);

/** An upload that has not ended by then was killed. */
export const pendingUntil = (): Date => new Date(Date.now() + HOUR_MS);
