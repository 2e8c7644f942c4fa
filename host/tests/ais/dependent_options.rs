//! An AI whose options depend on each other, and that reads its weights from a file.

use ai_api::{
    Ai, AiError, EvalTerm, Evaluator, Host, OptionSetting, OptionSpec, OptionValue, Options,
    Position, Score, export_ai,
};

struct DependentOptions {
    weights: Vec<EvalTerm>,
}

impl Ai for DependentOptions {
    fn options() -> Vec<OptionSpec> {
        vec![
            OptionSpec::file("weights", "the weights of the evaluation"),
            OptionSpec::integer("layers", 0, 0..=3, "the number of layers"),
        ]
    }

    fn options_for(settings: &[OptionSetting], _: &Host<'_>) -> Result<Vec<OptionSpec>, AiError> {
        let set = settings
            .iter()
            .find(|setting| setting.name == "layers")
            .map(|setting| &setting.value);
        let layers = match set {
            None => 0,
            Some(OptionValue::Integer(layers)) => *layers,
            Some(other) => return Err(AiError::new(format!("layers is {other:?}, not a number"))),
        };
        let layer = |number| {
            OptionSpec::integer(
                &format!("layer_{number}"),
                number,
                0..=99,
                "the weight of the layer",
            )
        };
        Ok(Self::options()
            .into_iter()
            .chain((1..=layers).map(layer))
            .collect())
    }

    fn create(options: &Options, _: &Host<'_>) -> Result<Self, AiError> {
        let layers = (1..=options.integer("layers")?).map(|number| {
            let name = format!("layer_{number}");
            Ok(EvalTerm::new(
                &name,
                Score::centipawns(options.integer(&name)? as i32),
            ))
        });
        let mut weights = layers.collect::<Result<Vec<_>, AiError>>()?;
        if let Some(file) = options.file("weights")? {
            let unreadable = |error: &dyn std::fmt::Display| {
                AiError::new(format!(
                    "can't read the weights {}: {error}",
                    file.display()
                ))
            };
            let text = std::fs::read_to_string(file).map_err(|error| unreadable(&error))?;
            let weight = text.trim().parse().map_err(|error| unreadable(&error))?;
            weights.push(EvalTerm::new("weights", Score::centipawns(weight)));
        }
        Ok(Self { weights })
    }
}

impl Evaluator for DependentOptions {
    fn evaluate(&mut self, _: &Position, _: &Host<'_>) -> Score {
        Score::centipawns(self.weights.iter().map(|term| term.score.value()).sum())
    }

    fn terms(&mut self, _: &Position, _: &Host<'_>) -> Vec<EvalTerm> {
        self.weights.clone()
    }
}

export_ai!(DependentOptions: Evaluator);
