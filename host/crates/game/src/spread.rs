//! Asks about many positions in parallel.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::ControlFlow,
};

use futures_util::stream::{FuturesUnordered, StreamExt as _};

/// Asks about `count` positions by index, at most `at_once` at a time, and passes the answers on in
/// the order of the positions until `answered` breaks. Dropping the future cancels every search.
///
/// If the queue is full while other positions are in progress, retries the position after one of
/// the others finishes.
pub async fn spread<A, B>(
    count: usize,
    at_once: usize,
    ask: impl AsyncFn(usize) -> A,
    is_queue_full: impl Fn(&A) -> bool,
    mut answered: impl FnMut(usize, A) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let mut unasked: BTreeSet<usize> = (0..count).collect();
    let mut running = FuturesUnordered::new();
    let mut most = at_once.max(1);
    let mut early = BTreeMap::new();
    let mut next = 0;
    let ask = async |index| (index, ask(index).await);
    while next < count {
        while running.len() < most
            && let Some(index) = unasked.pop_first()
        {
            running.push(ask(index));
        }
        let Some((index, answer)) = running.next().await else {
            break;
        };
        if is_queue_full(&answer) && !running.is_empty() {
            most = running.len();
            unasked.insert(index);
            continue;
        }
        most = (most + 1).min(at_once.max(1));
        early.insert(index, answer);
        while let Some(first) = early.remove(&next) {
            answered(next, first)?;
            next += 1;
        }
    }
    ControlFlow::Continue(())
}

#[cfg(test)]
mod tests {
    use std::{cell::RefCell, convert::Infallible};

    use tokio::{sync::Semaphore, task::yield_now};

    use super::*;

    /// The requests that a test has observed.
    #[derive(Default)]
    struct Observed {
        running: BTreeSet<usize>,
        most: usize,
        asked: usize,
    }

    /// Requests answers for ten positions, with this many places in the queue. The later a position
    /// comes, the sooner it is answered.
    async fn answers(at_once: usize, places: usize) -> (Vec<usize>, Observed) {
        let (observed, queue) = (RefCell::new(Observed::default()), Semaphore::new(places));
        let ask = async |index| {
            let Ok(_place) = queue.try_acquire() else {
                return None;
            };
            {
                let mut observed = observed.borrow_mut();
                observed.asked += 1;
                observed.running.insert(index);
                observed.most = observed.most.max(observed.running.len());
            }
            for _ in index..10 {
                yield_now().await;
            }
            observed.borrow_mut().running.remove(&index);
            Some(index)
        };
        let mut order = Vec::new();
        let done = spread(10, at_once, ask, Option::is_none, |index, answer| {
            assert_eq!(answer, Some(index));
            order.push(index);
            ControlFlow::<Infallible>::Continue(())
        });
        assert!(done.await.is_continue());
        (order, observed.into_inner())
    }

    #[tokio::test]
    async fn returns_answers_in_the_order_of_the_positions() {
        for (at_once, places, most) in [(1, 9, 1), (4, 9, 4), (99, 99, 10), (8, 3, 3), (0, 1, 1)] {
            let (order, observed) = answers(at_once, places).await;
            assert_eq!(order, (0..10).collect::<Vec<_>>());
            assert_eq!(
                (observed.most, observed.asked),
                (most, 10),
                "{at_once} of {places}"
            );
        }
    }

    #[tokio::test]
    async fn a_full_queue_is_an_answer_if_nothing_else_is_in_progress() {
        let mut order = Vec::new();
        let done = spread(
            2,
            4,
            async |index| index,
            |_| true,
            |index, _| {
                order.push(index);
                ControlFlow::<Infallible>::Continue(())
            },
        );
        assert!(done.await.is_continue());
        assert_eq!(order, [0, 1]);
    }

    #[tokio::test]
    async fn a_break_cancels_the_rest() {
        let running = RefCell::new(0);
        let ask = async |index: usize| {
            *running.borrow_mut() += 1;
            for _ in 0..=index {
                yield_now().await;
            }
            *running.borrow_mut() -= 1;
        };
        let done = spread(9, 3, ask, |()| false, |index, ()| ControlFlow::Break(index)).await;
        assert_eq!(done, ControlFlow::Break(0));
        assert_eq!(running.into_inner(), 2);
    }
}
