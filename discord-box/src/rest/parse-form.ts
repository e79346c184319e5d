import type { z } from 'zod';
import { ApiError } from './errors.ts';

type Issue = z.core.$ZodIssue;

/** Checks a body as Discord does: 50035, with what is wrong at each place. */
export function parseForm<Form extends z.ZodType>(form: Form, body: unknown): z.output<Form> {
  const result = form.safeParse(body);
  if (result.success) return result.data;
  throw formError(
    result.error.issues.map((issue) => ({ path: issue.path.map(String), ...describe(issue) })),
  );
}

type FormError = { path: string[]; code: string; message: string };

/** Discord's "Invalid Form Body": what is wrong, nested by its path. */
export function formError(found: FormError[]): ApiError {
  const errors: Record<string, unknown> = {};
  for (const { path, code, message } of found) {
    let place = errors;
    for (const step of path) place = (place[step] ??= {}) as Record<string, unknown>;
    ((place['_errors'] ??= []) as unknown[]).push({ code, message });
  }
  return new ApiError(400, 50035, 'Invalid Form Body', { errors });
}

function describe(issue: Issue): { code: string; message: string } {
  const length = 'origin' in issue && (issue.origin === 'string' || issue.origin === 'array');
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? { code: 'BASE_TYPE_REQUIRED', message: 'This field is required' }
        : { code: 'BASE_TYPE_INVALID', message: `Expected ${issue.expected}.` };
    case 'too_big':
      return length
        ? { code: 'BASE_TYPE_MAX_LENGTH', message: `Must be ${issue.maximum} or fewer in length.` }
        : {
            code: 'NUMBER_TYPE_MAX',
            message: `int value should be less than or equal to ${issue.maximum}.`,
          };
    case 'too_small':
      return length
        ? issue.minimum === 1
          ? { code: 'BASE_TYPE_REQUIRED', message: 'This field is required' }
          : { code: 'BASE_TYPE_MIN_LENGTH', message: `Must be ${issue.minimum} or more in length.` }
        : {
            code: 'NUMBER_TYPE_MIN',
            message: `int value should be greater than or equal to ${issue.minimum}.`,
          };
    case 'invalid_value':
      return {
        code: 'BASE_TYPE_CHOICES',
        message: `Value must be one of {${issue.values.map(String).join(', ')}}.`,
      };
    case 'custom':
      return {
        code: (issue.params?.['code'] as string | undefined) ?? 'BASE_TYPE_INVALID',
        message: issue.message,
      };
    default:
      return { code: 'BASE_TYPE_INVALID', message: issue.message };
  }
}
