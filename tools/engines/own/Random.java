import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;

/** A UCI engine in Java that captures the most valuable piece, or plays any move. */
public class Random {
    record Move(int from, int to, char promotion) {
        String name() {
            String name = "" + (char) ('a' + from % 8) + (from / 8 + 1) + (char) ('a' + to % 8) + (to / 8 + 1);
            return promotion == 0 ? name : name + promotion;
        }
    }

    static final int[][] KING = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {1, -1}, {-1, 1}, {-1, -1}};
    static final int[][] KNIGHT = {{1, 2}, {2, 1}, {-1, 2}, {-2, 1}, {1, -2}, {2, -1}, {-1, -2}, {-2, -1}};

    /** Index 0 is a1. The value 0 is an empty square. */
    final char[] squares = new char[64];
    boolean white = true;
    int enPassant = -1;

    static Random of(String fen) {
        Random board = new Random();
        String[] words = fen.split(" ");
        int square = 56;
        for (char letter : words[0].toCharArray()) {
            if (letter == '/') square -= 16;
            else if (Character.isDigit(letter)) square += letter - '0';
            else board.squares[square++] = letter;
        }
        board.white = words[1].equals("w");
        board.enPassant = words[3].equals("-") ? -1 : square(words[3], 0);
        return board;
    }

    static int square(String name, int at) {
        return name.charAt(at) - 'a' + 8 * (name.charAt(at + 1) - '1');
    }

    boolean isOurs(int square) {
        return squares[square] != 0 && Character.isUpperCase(squares[square]) == white;
    }

    Random after(Move move) {
        Random board = new Random();
        System.arraycopy(squares, 0, board.squares, 0, 64);
        char piece = squares[move.from];
        boolean isPawn = Character.toLowerCase(piece) == 'p';
        if (isPawn && move.to == enPassant) board.squares[move.to + (white ? -8 : 8)] = 0;
        if (isPawn && Math.abs(move.to - move.from) == 16) board.enPassant = (move.from + move.to) / 2;
        if (Character.toLowerCase(piece) == 'k' && Math.abs(move.to - move.from) == 2) {
            int rook = move.to > move.from ? move.from + 3 : move.from - 4;
            board.squares[(move.from + move.to) / 2] = squares[rook];
            board.squares[rook] = 0;
        }
        board.squares[move.from] = 0;
        board.squares[move.to] = piece;
        if (move.promotion != 0) board.squares[move.to] = white ? Character.toUpperCase(move.promotion) : move.promotion;
        board.white = !white;
        return board;
    }

    /** Returns the moves of the side to move, without castling, but including moves into check. */
    List<Move> moves() {
        List<Move> moves = new ArrayList<>();
        for (int from = 0; from < 64; from++) {
            if (!isOurs(from)) continue;
            char kind = Character.toLowerCase(squares[from]);
            if (kind == 'p') pawn(moves, from);
            for (int[] step : kind == 'n' ? KNIGHT : KING) {
                boolean isDiagonal = step[0] != 0 && step[1] != 0;
                if (kind == 'p' || kind == 'r' && isDiagonal || kind == 'b' && !isDiagonal) continue;
                int file = from % 8 + step[0], rank = from / 8 + step[1];
                while ((file | rank) >= 0 && file < 8 && rank < 8 && !isOurs(8 * rank + file)) {
                    moves.add(new Move(from, 8 * rank + file, (char) 0));
                    if (squares[8 * rank + file] != 0 || kind == 'n' || kind == 'k') break;
                    file += step[0];
                    rank += step[1];
                }
            }
        }
        return moves;
    }

    void pawn(List<Move> moves, int from) {
        int ahead = white ? 8 : -8;
        List<Integer> targets = new ArrayList<>();
        if (squares[from + ahead] == 0) {
            targets.add(from + ahead);
            boolean isHome = from / 8 == (white ? 1 : 6);
            if (isHome && squares[from + 2 * ahead] == 0) targets.add(from + 2 * ahead);
        }
        for (int side = -1; side <= 1; side += 2) {
            int to = from + ahead + side;
            boolean isBeside = to >= 0 && to < 64 && Math.abs(to % 8 - from % 8) == 1;
            if (isBeside && (to == enPassant || squares[to] != 0 && !isOurs(to))) targets.add(to);
        }
        for (int to : targets) moves.add(new Move(from, to, to < 8 || to >= 56 ? 'q' : 0));
    }

    List<Move> legalMoves() {
        List<Move> legal = new ArrayList<>(moves());
        legal.removeIf(move -> {
            Random after = after(move);
            return after.moves().stream().anyMatch(reply -> Character.toLowerCase(after.squares[reply.to]) == 'k');
        });
        return legal;
    }

    Move best(java.util.Random random) {
        List<Move> legal = legalMoves();
        if (legal.isEmpty()) return null;
        java.util.Collections.shuffle(legal, random);
        return legal.stream().max(java.util.Comparator.comparingInt(move -> "\0pnbrq".indexOf(captured(move)))).get();
    }

    char captured(Move move) {
        return Character.toLowerCase(squares[move.to]);
    }

    public static void main(String[] arguments) throws Exception {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        java.util.Random random = new java.util.Random(1);
        Random board = null;
        String line, pending = "";
        while ((line = input.readLine()) != null) {
            String[] words = line.trim().split("\\s+");
            String answer = null;
            switch (words[0]) {
                case "uci" -> answer = "id name Java Random 1.0\nid author Rookery\nuciok";
                case "isready" -> answer = "readyok";
                case "position" -> {
                    String[] parts = line.split(" moves ");
                    int fen = parts[0].indexOf("fen ");
                    board = of(fen < 0 ? "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -" : parts[0].substring(fen + 4));
                    for (String name : parts.length > 1 ? parts[1].split(" ") : new String[0]) {
                        board = board.after(new Move(square(name, 0), square(name, 2), name.length() > 4 ? name.charAt(4) : 0));
                    }
                }
                case "go", "stop" -> {
                    if (words[0].equals("go")) {
                        Move best = board.best(random);
                        pending = "info depth 1 nodes 1 score cp 0\nbestmove " + (best == null ? "0000" : best.name());
                    }
                    if (!line.contains("infinite") && !pending.isEmpty()) {
                        answer = pending;
                        pending = "";
                    }
                }
                case "quit" -> System.exit(0);
                default -> { }
            }
            if (answer != null) System.out.println(answer);
        }
    }
}
