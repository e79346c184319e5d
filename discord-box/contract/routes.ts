import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseSync, type TsType } from '@swc/core';
import {
  array,
  boolean,
  literal,
  never,
  nullable,
  number,
  object,
  optional,
  string,
  union,
  unknown,
} from 'zod/mini';
import type { $ZodType } from 'zod/v4/core';
import type { Schemas } from './schemas.ts';

/** What a request to a route holds, and what is sent back. */
type RouteContract = {
  /** By name. */
  query: Record<string, $ZodType>;
  /** undefined: none. */
  body: $ZodType | undefined;
  /** By status; undefined for one without a body. */
  responses: Map<number, $ZodType | undefined>;
};

/** The contract of a method and a route's pattern; undefined if Discord has no such route. */
type RouteContracts = (method: string, route: string) => RouteContract | undefined;

type Field = { type: TsType; isOptional: boolean };

const KEYWORDS: Record<string, () => $ZodType> = { string, number, boolean, never };

/** By path, such as `/channels/{channel_id}/messages`, and then by method. */
const paths = readPaths();

/** The specification's routes. Its package has them as types alone, so this reads the text of these. */
export function routeContracts(schemas: Schemas): RouteContracts {
  const found = new Map<string, TsType>();
  for (const [path, { type }] of fieldsOf(paths)) {
    for (const [method, operation] of fieldsOf(type)) {
      const name = `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, '{}')}`;
      found.set(name, operation.type);
    }
  }
  const made = new Map<string, RouteContract>();
  return (method, route) => {
    const name = `${method} ${route.replaceAll(/:\w+(?:\{[^}]*\})?/g, '{}')}`;
    const operation = found.get(name);
    if (operation === undefined) return undefined;
    const contract = made.get(name) ?? contractOf(operation, schemas);
    made.set(name, contract);
    return contract;
  };
}

function contractOf(operation: TsType, schemas: Schemas): RouteContract {
  const { parameters, requestBody, responses } = Object.fromEntries(fieldsOf(operation));
  const query = new Map(fieldsOf(parameters!.type)).get('query');
  return {
    query: shapeOf(query?.type, schemas),
    body: requestBody && bodyOf(requestBody.type, schemas),
    responses: new Map(
      fieldsOf(responses!.type)
        .filter(([status]) => /^\d+$/.test(status))
        .map(([status, { type }]) => [Number(status), bodyOf(type, schemas)]),
    ),
  };
}

/** The specification writes `undefined` and `unknown` for no body. */
function bodyOf(type: TsType, schemas: Schemas): $ZodType | undefined {
  const isNone = type.type === 'TsKeywordType' && /^un(?:defined|known)$/.test(type.kind);
  return isNone ? undefined : schemaOf(type, schemas);
}

function shapeOf(type: TsType | undefined, schemas: Schemas): Record<string, $ZodType> {
  const shape = fieldsOf(type).map(([name, field]): [string, $ZodType] => {
    const schema = schemaOf(field.type, schemas);
    return [name, field.isOptional ? optional(schema) : schema];
  });
  return Object.fromEntries(shape);
}

function schemaOf(type: TsType, schemas: Schemas): $ZodType {
  switch (type.type) {
    case 'TsTypeReference': {
      const name = type.typeName.type === 'Identifier' ? type.typeName.value : '';
      const schema = schemas[`${name}Schema`];
      if (schema === undefined) throw new Error(`The specification has no ${name}.`);
      return schema;
    }
    case 'TsArrayType':
      return array(schemaOf(type.elemType, schemas));
    case 'TsUnionType': {
      const [only, ...more] = type.types.filter(isSomething).map((one) => schemaOf(one, schemas));
      const either = more.length > 0 ? union([only!, ...more]) : only!;
      return type.types.every(isSomething) ? either : nullable(either);
    }
    case 'TsParenthesizedType':
      return schemaOf(type.typeAnnotation, schemas);
    case 'TsTypeLiteral':
      return object(shapeOf(type, schemas));
    case 'TsLiteralType':
      return 'value' in type.literal ? literal(type.literal.value as string) : string();
    case 'TsKeywordType':
      return KEYWORDS[type.kind]?.() ?? unknown();
    default:
      return unknown();
  }
}

function isSomething(type: TsType): boolean {
  return type.type !== 'TsKeywordType' || type.kind !== 'null';
}

/** Of an object's type; none of another one's. */
function fieldsOf(type: TsType | undefined): [name: string, field: Field][] {
  if (type?.type !== 'TsTypeLiteral') return [];
  return type.members.flatMap((member): [string, Field][] => {
    if (member.type !== 'TsPropertySignature' || !('value' in member.key)) return [];
    const field = member.typeAnnotation?.typeAnnotation;
    return field ? [[String(member.key.value), { type: field, isOptional: member.optional }]] : [];
  });
}

function readPaths(): TsType {
  const code = fileURLToPath(import.meta.resolve('discord-api-spec/preview'));
  const text = readFileSync(code.replace(/\.js$/, '.ts'), 'utf8');
  const [, members] = /^export interface Paths (\{.*?^\})/ms.exec(text) ?? [];
  const { body } = parseSync(`type Paths = ${members}`, { syntax: 'typescript' });
  if (body[0]?.type !== 'TsTypeAliasDeclaration')
    throw new Error('The specification has no Paths.');
  return body[0].typeAnnotation;
}
