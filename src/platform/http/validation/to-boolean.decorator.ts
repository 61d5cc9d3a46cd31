import { Transform } from 'class-transformer';

/** `"true"` -> true. Other values stay unchanged, so that @IsBoolean rejects them. */
export function ToBoolean(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) => (value === 'true' ? true : value === 'false' ? false : value));
}
