import { Transform } from 'class-transformer';

/** Before trimming and composing, a valid text may be this many times longer than its limit. */
const SLACK = 8;

/**
 * Transforms a text before validation. Skips texts far above the limit, which the validator rejects, because normalization can be
 * quadratic in the length.
 * @param max the limit of the validator, in characters
 */
export function TransformText(max: number, change: (text: string) => string): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) => changeText(value, max, change));
}

/** As `TransformText`, for one value. Returns values other than text unchanged. */
export function changeText(value: unknown, max: number, change: (text: string) => string): unknown {
  return typeof value === 'string' && value.length <= SLACK * max ? change(value) : value;
}

export function trimAndCompose(text: string): string {
  return text.normalize('NFC').trim();
}
