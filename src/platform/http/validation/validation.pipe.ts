import { type ArgumentMetadata, ValidationPipe } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import { ObjectId } from 'mongodb';
import { CodedError, type FieldError } from '../../../common/errors.js';

/**
 * Parameters typed ObjectId come as text and belong to the id pipes, which run after this one. Where a controller imports the class
 * as a type only, the compiler says `Function` of them (and the tests' compiler `Object`).
 */
class DtoPipe extends ValidationPipe {
  protected override toValidate(metadata: ArgumentMetadata): boolean {
    return metadata.metatype !== ObjectId && metadata.metatype !== Function && super.toValidate(metadata);
  }

  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    // a DTO without required fields would take `null` and no body at all for an empty object
    if (metadata.type === 'body' && this.toValidate(metadata) && !isJsonObject(value)) {
      const message = 'must be a JSON object';
      throw new CodedError('invalid_input', `The body ${message}.`, { fields: [{ field: 'body', message }] });
    }
    return super.transform(value, metadata);
  }
}

/** The one validation pipe: unknown fields are refused, nothing is converted behind the DTO's back, errors name their field. */
export function createValidationPipe(): ValidationPipe {
  return new DtoPipe({
    whitelist: true,
    forbidNonWhitelisted: true,
    forbidUnknownValues: true,
    transform: true,
    validationError: { target: false, value: false },
    exceptionFactory: (errors) => {
      const fields = flatten(errors);
      const detail = fields.map(({ field, message }) => `${field}: ${message}`).join('; ');
      return new CodedError('invalid_input', detail || 'The request is not valid.', { fields });
    },
  });
}

function isJsonObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function flatten(errors: ValidationError[], prefix = ''): FieldError[] {
  return errors.flatMap((error) => {
    const field = prefix + error.property;
    const own = Object.values(error.constraints ?? {}).map((message) => ({
      field,
      message: message
        .replace(`property ${error.property} should not exist`, 'is not known here')
        .replace(`${error.property} `, ''),
    }));
    return [...own, ...flatten(error.children ?? [], `${field}.`)];
  });
}
