import { getMetadataStorage } from 'class-validator';
import { defaultMetadataStorage } from 'class-transformer/cjs/storage.js';
import { TransformationType } from 'class-transformer';
import { DtoPipe } from '../../src/platform/http/validation/validation.pipe.js';

/** The transforms and checks of one DTO member, independent of its class. */
export type Rule = {
  /** The first DTO with the rule, and its member. */
  name: string;
  /** Validates a value like the pipe of all routes, accepted or refused. */
  check: (value: string) => Promise<void>;
};

type Dto = new () => object;
type Metadata = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

const pipe = new DtoPipe();

/** Returns every rule of the loaded DTOs once. */
export function dtoRules(): Rule[] {
  const rules = new Map<string, Rule>();
  const { validationMetadatas } = getMetadataStorage() as unknown as { validationMetadatas: Map<Dto, Metadata[]> };
  for (const dto of validationMetadatas.keys()) {
    const metadatas = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
    for (const member of new Set(metadatas.map(({ propertyName }) => propertyName))) {
      const own = metadatas.filter(({ propertyName }) => propertyName === member);
      const key = keyOf(dto, member, own);
      if (!rules.has(key)) rules.set(key, { name: `${dto.name}.${member}`, check: checkOf(dto, member, own) });
    }
  }
  return [...rules.values()];
}

/** Returns the key that members with the same rule share. */
function keyOf(dto: Dto, member: string, metadatas: Metadata[]): string {
  const transforms = defaultMetadataStorage.findTransformMetadatas(dto, member, TransformationType.PLAIN_TO_CLASS);
  const checks = metadatas.map(({ name, type, constraints, each }) => [
    name,
    type,
    each,
    (constraints ?? []).map(String),
  ]);
  return JSON.stringify([transforms.map(({ transformFn }) => String(transformFn)), checks]);
}

function checkOf(dto: Dto, member: string, metadatas: Metadata[]): Rule['check'] {
  const isList = metadatas.some(({ each }) => each);
  return async (text) => {
    try {
      await pipe.transform({ [member]: isList ? [text] : text }, { type: 'body', metatype: dto });
    } catch {
      // A refusal must be fast, too.
    }
  };
}
