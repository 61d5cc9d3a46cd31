import { plainToInstance } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsIn, IsOptional, ValidateNested, validateSync } from 'class-validator';
import fc from 'fast-check';
import { PageQuery } from '../pagination/page.query.js';
import { DtoCheck } from './dto-check.js';
import { IdsQuery } from './ids.query.js';
import { IsText, MayBeAbsent } from './text-rules.js';
import { TransformText, trimAndCompose } from './transform-text.decorator.js';

class ListQuery extends PageQuery {
  @IsOptional()
  @IsIn(['a', 'b'])
  sort: string = 'a';

  @MayBeAbsent()
  @TransformText(8, trimAndCompose)
  @IsText({ min: 1, max: 8, message: 'must be short' })
  name?: string;

  @MayBeAbsent()
  @IsArray()
  @ArrayMaxSize(2)
  list?: string[];
}

class Nested {
  @ValidateNested()
  page!: PageQuery;
}

const OPTIONS = { whitelist: true, forbidNonWhitelisted: true, forbidUnknownValues: true };

describe('DtoCheck', () => {
  const text = fc.oneof(fc.constantFrom('a', 'b', '', ' é ', '7', '07', '101', 'x'.repeat(9)), fc.string());
  const value = fc.oneof(text, fc.constantFrom(null, undefined, 1, true, Number.NaN), fc.array(text), fc.object());
  const keys = fc.constantFrom(
    'limit',
    'cursor',
    'sort',
    'name',
    'list',
    'other',
    'constructor',
    '__proto__',
    'toString',
  );
  const queries = fc.dictionary(keys, value, { maxKeys: 4 });

  it('builds what class-transformer builds, and only what class-validator accepts', () => {
    const check = DtoCheck.of(ListQuery)!;
    fc.assert(
      fc.property(queries, (query) => {
        const built = check.build(query);
        if (built === null) return;
        const expected = plainToInstance(ListQuery, query);
        expect(built).toEqual(expected);
        expect(built).toBeInstanceOf(ListQuery);
        expect(validateSync(expected, OPTIONS)).toEqual([]);
      }),
      { numRuns: 2_000 },
    );
  });

  it('builds what is sent every day itself', () => {
    expect(DtoCheck.of(ListQuery)!.build({})).toEqual(plainToInstance(ListQuery, {}));
    expect(DtoCheck.of(ListQuery)!.build({ limit: '7', sort: 'b', name: ' é ' })).toMatchObject({
      limit: 7,
      name: 'é',
    });
    const id = '6650c3a2f1d2b3c4d5e6f708';
    expect(DtoCheck.of(IdsQuery)!.build({ ids: `${id},${id}` })).toEqual({ ids: [id] });
  });

  it.each([[{ limit: '0' }], [{ other: '1' }], [{ name: '' }], [{ sort: ['a'] }], [{ list: ['a'] }]])(
    'leaves %j to the libraries',
    (query) => expect(DtoCheck.of(ListQuery)!.build(query)).toBeNull(),
  );

  it('leaves a DTO with decorators that it does not know to the libraries', () => {
    expect(DtoCheck.of(Nested)).toBeNull();
  });
});
