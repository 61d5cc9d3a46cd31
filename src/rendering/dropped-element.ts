/** An element that posts do not have, and how often it occurred. */
export type DroppedElement = { element: string; count: number };

export const MAX_DROPPED = 50;
export const MAX_ELEMENT_NAME = 40;
