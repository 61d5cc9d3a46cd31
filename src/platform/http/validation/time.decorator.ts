import { ValidateBy } from 'class-validator';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/;
/** of `2027-01-31T09:00` */
const MINUTE_LENGTH = 16;
const MAX_LENGTH = 35;

/**
 * A time of RFC 3339 that the calendar has; its offset is part of it. The document has no pattern: openapi-generator makes a
 * Python client of format and pattern that cannot be imported.
 */
export function IsTime(): PropertyDecorator {
  return ValidateBy({
    name: 'isTime',
    constraints: [{ type: 'string', format: 'date-time', maxLength: MAX_LENGTH }],
    validator: {
      validate: (value) => typeof value === 'string' && TIME.test(value) && isTime(value),
      defaultMessage: () => '$property must be a time like 2027-01-31T09:00:00Z',
    },
  });
}

/** Date makes 2 March of 30 February, and the next day of 24:00. */
function isTime(text: string): boolean {
  const minute = text.slice(0, MINUTE_LENGTH);
  const local = new Date(`${minute}Z`);
  const isInCalendar = !Number.isNaN(local.getTime()) && local.toISOString().startsWith(minute);
  return isInCalendar && !Number.isNaN(Date.parse(text));
}
