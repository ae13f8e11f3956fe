/** One domain, as a management server says it: by the names of its fields, what is not said left out. */
export type ConfigMessage = {
  readonly name?: string;
  readonly domain?: string;
  readonly descriptors?: readonly DescriptorMessage[];
};

/** Its flags and texts have the names that they have in files. */
type DescriptorMessage = {
  readonly rate_limit?: PlainMap;
  readonly descriptors?: readonly DescriptorMessage[];
  readonly metadata?: StructMessage;
};

type StructMessage = { readonly fields?: Readonly<Record<string, ValueMessage>> };

type ValueMessage = {
  readonly stringValue?: string;
  readonly numberValue?: number;
  readonly boolValue?: boolean;
  readonly structValue?: StructMessage;
  readonly listValue?: { readonly values?: readonly ValueMessage[] };
};

export type Scalar = string | number | boolean | null;
export type Plain = Scalar | readonly Plain[] | PlainMap;
type PlainMap = { readonly [name: string]: Plain };

/** What a file would say. */
export function plainOf({ domain, descriptors = [] }: ConfigMessage): Plain {
  return { domain: domain ?? '', descriptors: descriptors.map(descriptorOf) };
}

function descriptorOf(message: DescriptorMessage): Plain {
  const { rate_limit, descriptors, metadata, ...said } = message;
  return {
    ...said,
    // Zero is a unit too, and one that can't be used.
    ...(rate_limit && { rate_limit: { unit: 'UNKNOWN', ...rate_limit } }),
    ...(descriptors && { descriptors: descriptors.map(descriptorOf) }),
    ...(metadata && { metadata: structOf(metadata) }),
  };
}

function structOf({ fields = {} }: StructMessage): PlainMap {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, valueOf(value)]));
}

function valueOf(value: ValueMessage): Plain {
  const { stringValue, numberValue, boolValue, structValue, listValue } = value;
  if (structValue) return structOf(structValue);
  if (listValue) return (listValue.values ?? []).map(valueOf);
  return stringValue ?? numberValue ?? boolValue ?? null;
}
