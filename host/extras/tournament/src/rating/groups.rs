//! Which players the results put on one scale.

/// Returns the group of each player, numbered from 0 in the order of their first players.
/// `scored[a]` lists the players against whom `a` scored a point or half a point.
///
/// Two players are in one group if each leads to the other in steps of such results. Only then is
/// the most likely difference of their ratings finite (Ford 1957, Hunter 2004).
pub(super) fn groups(scored: &[Vec<usize>]) -> Vec<usize> {
    let mut conceded = vec![Vec::new(); scored.len()];
    for (player, opponents) in scored.iter().enumerate() {
        for &opponent in opponents {
            conceded[opponent].push(player);
        }
    }
    let mut groups: Vec<Option<usize>> = vec![None; scored.len()];
    let mut count = 0;
    for player in 0..scored.len() {
        if groups[player].is_some() {
            continue;
        }
        let (below, above) = (reachable(player, scored), reachable(player, &conceded));
        for (index, group) in groups.iter_mut().enumerate() {
            if below[index] && above[index] {
                *group = Some(count);
            }
        }
        count += 1;
    }
    groups.into_iter().flatten().collect()
}

/// Returns, for each player, whether it can be reached from `start`, which is reachable itself.
fn reachable(start: usize, edges: &[Vec<usize>]) -> Vec<bool> {
    let mut reached = vec![false; edges.len()];
    reached[start] = true;
    let mut open = vec![start];
    while let Some(player) = open.pop() {
        for &next in &edges[player] {
            if !std::mem::replace(&mut reached[next], true) {
                open.push(next);
            }
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joins_players_with_results_in_both_directions() {
        // Players 0 and 1 beat each other. Player 2 lost to both. Players 3, 4 and 5 beat each
        // other in a cycle.
        assert_eq!(
            groups(&[vec![1, 2], vec![0, 2], vec![], vec![4], vec![5], vec![3]]),
            [0, 0, 1, 2, 2, 2]
        );
        assert_eq!(
            groups(&[vec![], vec![2], vec![3], vec![1, 0]]),
            [0, 1, 1, 1]
        );
        assert!(groups(&[]).is_empty());
    }
}
