import { Button } from './Button.tsx';

/** The next page of a list, as `useList` brings it. */
export function MoreRows({
  list,
}: {
  readonly list: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    fetchNextPage(): unknown;
  };
}) {
  if (!list.hasNextPage) return null;
  return (
    <div className="more-rows">
      <Button
        variant="quiet"
        busy={list.isFetchingNextPage}
        onClick={() => void list.fetchNextPage()}
      >
        Show more
      </Button>
    </div>
  );
}
