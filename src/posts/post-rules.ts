export const MAX_TITLE = 200;
export const MAX_SUBTITLE = 120;
export const MAX_CONTENT = 200_000;
