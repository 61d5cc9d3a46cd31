import { Transform } from 'class-transformer';

/** A valid text may be longer before its spaces are trimmed and its letters are composed. */
const SLACK = 8;

/**
 * Transforms a text before it is validated. A text far above its limit is left for the validator to refuse, because normalizing can take
 * time quadratic in the length. @param max the limit of the validator, in characters
 */
export function TransformText(max: number, change: (text: string) => string): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) => changeText(value, max, change));
}

/** The same for one value; a value that is not text stays unchanged. */
export function changeText(value: unknown, max: number, change: (text: string) => string): unknown {
  return typeof value === 'string' && value.length <= SLACK * max ? change(value) : value;
}

export function trimAndCompose(text: string): string {
  return text.normalize('NFC').trim();
}
