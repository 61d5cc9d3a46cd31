import { type ArgumentMetadata, ValidationPipe } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import { ObjectId } from 'mongodb';
import { CodedError, type FieldError } from '../../../common/errors.js';
import { ACCEPTS_UNKNOWN_FIELDS } from './accepts-unknown-fields.decorator.js';

/** Types that are not validated as DTOs. Parameters of type ObjectId and Number have their own pipes, which run after this pipe. */
const NO_DTOS = new Set<unknown>([
  ...[undefined, String, Number, Object, Array, Date, Buffer, ObjectId],
  // the type if a controller uses `import type` for a class
  Function,
]);

/** The validation pipe: rejects unknown fields, does not convert types implicitly, and names the invalid fields. */
export class DtoPipe extends ValidationPipe {
  /** for classes with `@AcceptsUnknownFields()` */
  private readonly lenient: ValidationPipe | undefined;

  constructor(rejectsUnknown = true) {
    super({
      whitelist: true,
      forbidNonWhitelisted: rejectsUnknown,
      forbidUnknownValues: true,
      transform: true,
      // Reports one error per field, of the lowest decorator that fails. Otherwise an invalid list of ids would also report its length.
      stopAtFirstError: true,
      validationError: { target: false, value: false },
      exceptionFactory: (errors) => {
        const fields = flatten(errors);
        const detail = fields.map(({ field, message }) => `${field}: ${message}`).join('; ');
        return new CodedError('invalid_input', detail || 'The request is not valid.', { fields });
      },
    });
    if (rejectsUnknown) this.lenient = new DtoPipe(false);
  }

  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const { type, metatype } = metadata;
    if (type === 'custom' || NO_DTOS.has(metatype)) return value;
    // A DTO with optional fields only would accept `null` and a missing body as an empty object.
    if (type === 'body' && !isJsonObject(value)) {
      const message = 'must be a JSON object';
      throw new CodedError('invalid_input', `The body ${message}.`, { fields: [{ field: 'body', message }] });
    }
    if (this.lenient !== undefined && Reflect.hasMetadata(ACCEPTS_UNKNOWN_FIELDS, metatype!))
      return this.lenient.transform(value, metadata);
    return super.transform(value, metadata);
  }
}

function isJsonObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function flatten(errors: ValidationError[], prefix = ''): FieldError[] {
  return errors.flatMap((error) => {
    const field = prefix + error.property;
    const own = Object.values(error.constraints ?? {}).map((message) => ({
      field,
      message: withoutField(message, error.property),
    }));
    return [...own, ...flatten(error.children ?? [], `${field}.`)];
  });
}

/** Shortens "tags must be …" to "must be …", and "each of tags must be …" to "each must be …". */
function withoutField(message: string, field: string): string {
  if (message === `property ${field} should not exist`) return 'is not known here';
  return message.replace(new RegExp(`^(each )(?:of|value in) ${field} |^${field} `), '$1');
}
