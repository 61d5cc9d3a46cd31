import { applyDecorators } from '@nestjs/common';
import { ValidateBy } from 'class-validator';
import { canonicalAddress, MAX_ADDRESS_LENGTH } from '../common/canonical-address.js';
import { EMAIL_ADDRESS } from '../platform/http/validation/text-rules.js';
import { TransformText } from '../platform/http/validation/transform-text.decorator.js';

/** Converts the value to its canonical address. */
export function IsEmailAddress(): PropertyDecorator {
  return applyDecorators(
    TransformText(MAX_ADDRESS_LENGTH, (text) => canonicalAddress(text) ?? text),
    ValidateBy({
      name: 'isEmailAddress',
      constraints: [{ ...EMAIL_ADDRESS, maxLength: MAX_ADDRESS_LENGTH }],
      validator: {
        validate: (value) => typeof value === 'string' && canonicalAddress(value) !== null,
        defaultMessage: () => '$property must be an e-mail address, without invisible characters',
      },
    }),
  );
}
