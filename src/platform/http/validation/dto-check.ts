import type { Type } from '@nestjs/common';
import { type TransformFnParams, TransformationType } from 'class-transformer';
import { defaultMetadataStorage } from 'class-transformer/cjs/storage.js';
import { getMetadataStorage, type ValidationArguments, ValidationTypes } from 'class-validator';

type ValidationMetadata = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];
type Condition = (object: object, value: unknown) => boolean;
type Rule = (value: unknown, object: object) => unknown;
type Property = { transforms: ((params: TransformFnParams) => unknown)[]; conditions: Condition[]; rules: Rule[] };

const TO_CLASS = TransformationType.PLAIN_TO_CLASS;

/**
 * The decorators of one DTO, read once: accepts what is right in 2 us, where class-transformer and class-validator take 15. Everything
 * else goes to them: they know every rule, and say what is wrong.
 */
export class DtoCheck {
  private constructor(
    private readonly dto: Type<object>,
    private readonly properties: ReadonlyMap<string, Property>,
  ) {}

  /** Null when the DTO has decorators that only the libraries know. */
  static of(dto: Type<object>): DtoCheck | null {
    const byProperty = new Map<string, ValidationMetadata[]>();
    for (const metadata of getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false)) {
      byProperty.set(metadata.propertyName, [...(byProperty.get(metadata.propertyName) ?? []), metadata]);
    }
    const isNamedElsewhere =
      defaultMetadataStorage.getExposedProperties(dto, TO_CLASS).length > 0 ||
      defaultMetadataStorage.getExcludedProperties(dto, TO_CLASS).length > 0;
    if (byProperty.size === 0 || isNamedElsewhere || Object.keys(new dto()).some((name) => !byProperty.has(name)))
      return null;
    const properties = new Map<string, Property>();
    for (const [name, metadatas] of byProperty) {
      const property = propertyOf(dto, name, metadatas);
      if (property === null) return null;
      properties.set(name, property);
    }
    return new DtoCheck(dto, properties);
  }

  /** The DTO of a value that every rule accepts; null when it is to be looked at by the libraries. */
  build(value: object): object | null {
    const dto = new this.dto() as Record<string, unknown>;
    for (const [key, raw] of Object.entries(value) as [string, unknown][]) {
      const property = this.properties.get(key);
      // unknown, or a list or object, which is copied first
      if (property === undefined || (typeof raw === 'object' && raw !== null)) return null;
      let final = raw;
      for (const transform of property.transforms)
        final = transform({ value: final, key, obj: value, type: TO_CLASS, options: {} });
      dto[key] = final;
    }
    for (const [name, { conditions, rules }] of this.properties) {
      const final = dto[name];
      if (!conditions.every((applies) => applies(dto, final))) continue;
      if (!rules.every((holds) => holds(final, dto) === true)) return null;
    }
    return dto;
  }
}

function propertyOf(dto: Type<object>, name: string, metadatas: ValidationMetadata[]): Property | null {
  if (defaultMetadataStorage.findTypeMetadata(dto, name) !== undefined) return null;
  const transforms = defaultMetadataStorage.findTransformMetadatas(dto, name, TO_CLASS);
  if (transforms.some(({ options }) => options.groups !== undefined || options.since !== undefined)) return null;
  const property: Property = {
    transforms: transforms.map(({ transformFn }) => transformFn),
    conditions: [],
    rules: [],
  };
  for (const metadata of metadatas) {
    if (metadata.type === ValidationTypes.CONDITIONAL_VALIDATION) {
      property.conditions.push(metadata.constraints[0] as Condition);
    } else if (metadata.type === ValidationTypes.CUSTOM_VALIDATION && metadata.validateIf === undefined) {
      property.rules.push(...rulesOf(dto, metadata));
    } else return null;
  }
  return property;
}

function rulesOf(dto: Type<object>, { constraintCls, constraints, each, propertyName }: ValidationMetadata): Rule[] {
  return getMetadataStorage()
    .getTargetValidatorConstraints(constraintCls)
    .map(({ instance }): Rule => (value, object) => {
      const given: ValidationArguments = { targetName: dto.name, property: propertyName, object, value, constraints };
      if (!each || !Array.isArray(value)) return instance.validate(value, given);
      return value.every((item) => instance.validate(item, given) === true);
    });
}
