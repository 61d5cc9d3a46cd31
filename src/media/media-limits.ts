/** Limits of an account; further uploads are refused. */
export const MAX_FILES = 5_000;
export const MAX_BYTES = 1_000_000_000;
/** of all images that no account owns */
export const MAX_GUEST_BYTES = 200_000_000;

export const MAX_UPLOAD_BYTES = 10 * 1024 * 1024;
export const MAX_ALT = 300;

const HOUR_MS = 3_600_000;

/** An image without references is deleted after this time. */
export const unusedUntil = (): Date => new Date(Date.now() + 24 * HOUR_MS);

/** An upload that has not finished by then was interrupted. */
export const pendingUntil = (): Date => new Date(Date.now() + HOUR_MS);
