/** characters */
export const MAX_PUBLIC_REASON = 500;
export const MAX_PRIVATE_NOTE = 2_000;
